"""Random steps of a problem: subgraph, granularity, traversal order."""

import collections

import reference_evaluator as reference
from reference_documents import Refused, Step

MAX_ITERATIONS = 400  # per step; keeps the reference quick

Draft = collections.namedtuple("Draft", "ops granularity retained order")


def passes(check, *arguments):
    try:
        check(*arguments)
        return True
    except Refused:
        return False


def step_of(problem, ops, granularity=(1, 1, 1), retained=(), order=None):
    return Step(problem, list(ops), list(granularity), list(retained), order)


def producers_first(problem, ops):
    """`ops` in a topological order, other than that as they came."""
    waiting, sorted_ops = list(ops), []
    while waiting:
        blocked = {problem.output[op] for op in waiting}
        op = next(op for op in waiting if not blocked & set(problem.inputs[op]))
        waiting.remove(op)
        sorted_ops.append(op)
    return sorted_ops


def grow_subgraph(rng, problem, seed_op, size):
    """A random set of ops around `seed_op`, neighbours first, in legal order."""
    ops = [seed_op]
    while len(ops) < size:
        touched = {t for op in ops for t in problem.inputs[op] + [problem.output[op]]}
        near = [op for op in range(problem.op_count) if op not in ops
                and touched & set(problem.inputs[op] + [problem.output[op]])]
        if not near:
            break
        ops.append(rng.choice(near))
    return producers_first(problem, rng.sample(ops, len(ops)))


def is_legal(problem, step):
    return (passes(reference.check_granularity, problem, step)
            and passes(reference.check_prologues, problem, step))


def iterations(problem, step):
    reference.find_tile_position(problem, step)
    columns = reference.ceil_div(step.grid_w, step.w)
    return columns * reference.ceil_div(step.grid_h, step.h) * step.k_steps


def random_side(rng, native, size):
    return rng.choice((native, min(native, size), rng.randint(1, native), rng.randint(1, native)))


def random_granularity(rng, problem, ops, wanted=is_legal):
    """A random (w, h, k) that the predicate wants and that is not too fine, or None."""
    step = step_of(problem, ops)
    reference.check_grid_shape(problem, step)
    deepest = min([problem.nk] + [problem.depth_of(op) for op in step.matmuls])
    for _ in range(40):
        step.w = random_side(rng, problem.nw, step.grid_w)
        step.h = random_side(rng, problem.nh, step.grid_h)
        step.k = rng.choice((deepest, rng.randint(1, deepest), rng.randint(1, deepest)))
        if wanted(problem, step) and iterations(problem, step) <= MAX_ITERATIONS:
            break
    else:
        return None
    free_k = not step.matmuls and rng.random() < 0.5
    return [step.w, step.h, rng.choice((0, -3, 1000)) if free_k else step.k]


def random_order(rng, problem, ops, granularity):
    """Null, raster, a snake by rows or by columns, columns from top to bottom, or any permutation."""
    step = step_of(problem, ops)
    reference.check_grid_shape(problem, step)
    columns = reference.ceil_div(step.grid_w, granularity[0])
    rows = reference.ceil_div(step.grid_h, granularity[1])
    raster = list(range(columns * rows))
    row_snake = [r * columns + (c if r % 2 == 0 else columns - 1 - c)
                 for r in range(rows) for c in range(columns)]
    column_snake = [(r if c % 2 == 0 else rows - 1 - r) * columns + c
                    for c in range(columns) for r in range(rows)]
    column_raster = [r * columns + c for c in range(columns) for r in range(rows)]
    shuffled = rng.sample(raster, len(raster))
    return rng.choice((None, None, raster, row_snake, column_snake, column_raster, shuffled,
                       shuffled))
