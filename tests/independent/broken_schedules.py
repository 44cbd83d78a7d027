"""Ways to break a valid schedule, one rule at a time.

Each breaker takes (rng, problem, drafts) and returns changed drafts, or None
if it cannot. Nothing says that the result is invalid: `broken` asks the
reference evaluator which rule, if any, refuses it.
"""

import reference_evaluator as reference
from random_schedules import ScheduleBuilder, as_document
from random_steps import (Draft, grow_subgraph, passes, producers_first, random_granularity, step_of)


def changed(drafts, index, **fields):
    return drafts[:index] + [drafts[index]._replace(**fields)] + drafts[index + 1:]


def inserted(rng, drafts, ops, granularity):
    """An extra step, mostly at the end: there all it needs is in slow memory."""
    index = len(drafts) if rng.random() < 0.8 else rng.randint(0, len(drafts))
    return drafts[:index] + [Draft(ops, granularity, [], None)] + drafts[index:]


def break_emptiness(rng, problem, drafts):
    return inserted(rng, drafts, [], [1, 1, 1])


def break_distinctness(rng, problem, drafts):
    i = rng.randrange(len(drafts))
    ops = drafts[i].ops
    return changed(drafts, i, ops=ops + [rng.choice(ops)])


def break_op_order(rng, problem, drafts):
    i = rng.randrange(len(drafts))
    ops = rng.sample(drafts[i].ops, len(drafts[i].ops))
    return None if ops == producers_first(problem, ops) else changed(drafts, i, ops=ops)


def insert_failing(rng, problem, drafts, ops, check):
    """An extra step of these ops, coarsely tiled, if that fails `check`."""
    step = step_of(problem, ops)
    if passes(check, problem, step):
        return None
    depth = min([problem.nk] + [problem.depth_of(op) for op in step.matmuls])
    return inserted(rng, drafts, ops, [problem.nw, problem.nh, depth])


def grown_anywhere(rng, problem):
    return grow_subgraph(rng, problem, rng.randrange(problem.op_count), rng.randint(2, 4))


def break_connection(rng, problem, drafts):
    ops = rng.sample(range(problem.op_count), rng.randint(1, min(4, problem.op_count)))
    ops = producers_first(problem, ops)
    return insert_failing(rng, problem, drafts, ops, reference.check_connected)


def break_grid(rng, problem, drafts):
    ops = grown_anywhere(rng, problem)
    return insert_failing(rng, problem, drafts, ops, reference.check_grid_shape)


def break_granularity(rng, problem, drafts):
    i = rng.randrange(len(drafts))
    w, h, k = drafts[i].granularity
    options = [[0, h, k], [problem.nw + 1, h, k], [w, 0, k], [w, problem.nh + 1, k]]
    return changed(drafts, i, granularity=rng.choice(options), order=None)


def break_depth(rng, problem, drafts):
    i = rng.randrange(len(drafts))
    w, h, _ = drafts[i].granularity
    matmuls = step_of(problem, drafts[i].ops).matmuls
    if not matmuls:
        return None
    limit = min([problem.nk] + [problem.depth_of(op) for op in matmuls])
    return changed(drafts, i, granularity=[w, h, rng.choice((0, limit + 1, limit + 1))], order=None)


def break_prologue(rng, problem, drafts):
    def is_wanted(p, step):
        return (passes(reference.check_granularity, p, step)
                and not passes(reference.check_prologues, p, step))

    ops = grown_anywhere(rng, problem)
    if not passes(reference.check_grid_shape, problem, step_of(problem, ops)):
        return None
    granularity = random_granularity(rng, problem, ops, is_wanted)
    return granularity and inserted(rng, drafts, ops, granularity)


def break_externals(rng, problem, drafts):
    """A step moves; or something is retained and so no longer stored; or a step goes."""
    i, other = rng.randrange(len(drafts)), rng.randrange(len(drafts))
    kind = rng.choice(("move", "retain", "drop"))
    if kind == "retain":
        return changed(drafts, i, retained=[problem.output[drafts[i].ops[-1]]])
    rest = drafts[:i] + drafts[i + 1:]
    return rest if kind == "drop" else rest[:other] + [drafts[i]] + rest[other:]


def break_retention(rng, problem, drafts):
    """Retains a tensor twice, one not produced, one carried in, or any."""
    i = rng.randrange(len(drafts))
    retained, carried = drafts[i].retained, drafts[i - 1].retained if i else []
    pool = rng.choice((retained, carried, carried, range(len(problem.widths))))
    return changed(drafts, i, retained=retained + [rng.choice(pool)]) if pool else None


def break_carried(rng, problem, drafts):
    """A carried-in tensor that the step produces again is retained again."""
    i = rng.randrange(1, len(drafts)) if len(drafts) > 1 else 0
    produced = {problem.output[op] for op in drafts[i].ops}
    pool = sorted(produced & set(drafts[i - 1].retained)) if i else []
    return changed(drafts, i, retained=drafts[i].retained + [rng.choice(pool)]) if pool else None


def break_tile_position(rng, problem, drafts):
    """Retains an internal tensor, or rebuilds the schedule without asking what is stored."""
    if rng.random() < 0.5:
        return ScheduleBuilder(rng, problem, sloppy=True).build()
    i = rng.randrange(len(drafts))
    step = step_of(problem, drafts[i].ops)
    inner = sorted(step.internal)
    return changed(drafts, i, retained=drafts[i].retained + [rng.choice(inner)]) if inner else None


def break_outputs(rng, problem, drafts):
    """A graph output is retained and so not stored."""
    i = rng.randrange(len(drafts))
    produced = {problem.output[op] for op in drafts[i].ops}
    outputs = sorted((produced & problem.graph_outputs) - set(drafts[i].retained))
    return changed(drafts, i, retained=drafts[i].retained + [rng.choice(outputs)]) if outputs else None


def break_coverage(rng, problem, drafts):
    return drafts[:-1]


def break_permutation(rng, problem, drafts):
    i = rng.randrange(len(drafts))
    order = list(drafts[i].order or [])
    damage = rng.choice(("drop", "append", "repeat", "negative", "again"))
    if damage == "append" or not order:
        order = order + [len(order)] if order else []
    elif damage == "again":
        order.append(order[0])
    elif damage == "drop":
        order.pop()
    else:
        order[rng.randrange(len(order))] = -1 if damage == "negative" else len(order)
    return changed(drafts, i, order=order)


BREAKERS = {
    "3.1": (break_emptiness, break_distinctness, break_op_order, break_op_order),
    "3.2": (break_connection,), "3.3": (break_grid,),
    "3.4": (break_granularity, break_depth, break_depth), "3.5": (break_prologue,), "3.6": (break_externals,),
    "3.7": (break_retention, break_carried), "3.8": (break_tile_position,),
    "3.cover": (break_coverage,), "3.output": (break_outputs,), "2": (break_permutation,),
}
RARE = ("3.3", "3.5", "3.6", "3.8")  # few cases allow these, so they are often tried first


def broken(rng, problem_document, problem, drafts):
    """A schedule that breaks a rule drawn at random, or None if none was found."""
    aims = rng.sample(sorted(BREAKERS), len(BREAKERS))
    if rng.random() < 0.5:
        aims.sort(key=lambda aim: aim not in RARE)
    for aim in aims:
        for _ in range(25):
            attempt = rng.choice(BREAKERS[aim])(rng, problem, drafts)
            if attempt is None:
                continue
            document = as_document(rng, attempt)
            if reference.evaluate(problem_document, document)["rule"] == aim:
                return document
    return None
