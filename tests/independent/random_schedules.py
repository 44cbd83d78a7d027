"""Random schedules that are valid as long as the capacity suffices."""

import reference_evaluator as reference
from random_steps import (Draft, grow_subgraph, passes, random_granularity, random_order, step_of)


class ScheduleBuilder:
    """Adds random steps until every op is covered and every output stored.

    `storable` holds tensors whose last producer would store them on demand.
    A sloppy builder does not ask whether an external tensor can be had.
    """

    def __init__(self, rng, problem, sloppy=False):
        self.rng, self.problem, self.sloppy = rng, problem, sloppy
        self.in_slow = set(problem.graph_inputs)
        self.storable, self.resident, self.covered = set(), set(), set()
        self.drafts = []
        self.retaining = rng.choice((0.0, 0.3, 0.7))
        self.greed = rng.choice((1, 3, 5, 7))

    def build(self):
        while (goals := self.goals()) and len(self.drafts) < 20:
            if not self.add_random_step(goals):
                self.add_single(self.obtainable(self.rng.choice(goals)))
        return self.drafts

    def goals(self):
        """Uncovered ops; when there are none, producers of outputs not yet stored."""
        uncovered = [op for op in range(self.problem.op_count) if op not in self.covered]
        outputs = sorted(self.problem.graph_outputs - self.in_slow)
        return uncovered or [self.problem.producer[t] for t in outputs]

    def available(self, t):
        return self.sloppy or t in self.in_slow | self.storable | self.resident

    def obtainable(self, op):
        """`op`, or the nearest op before it that can run alone."""
        for t in self.problem.inputs[op]:
            if not self.available(t):
                return self.obtainable(self.problem.producer[t])
        return op

    def add_random_step(self, goals):
        for _ in range(30):
            ops = grow_subgraph(self.rng, self.problem, self.seed(goals), self.size())
            step = step_of(self.problem, ops)
            if not passes(reference.check_grid_shape, self.problem, step):
                continue
            if not all(self.available(t) for t in step.external):
                continue
            granularity = random_granularity(self.rng, self.problem, ops)
            if granularity:
                self.add(ops, granularity, self.choose_retained(step))
                return True
        return False

    def size(self):
        if self.rng.random() < 0.1:
            return self.problem.op_count
        return max(self.rng.randint(1, self.greed), self.rng.randint(1, self.greed))

    def seed(self, goals):
        """Mostly a goal; sometimes an op that uses or recomputes what is resident, or any op."""
        users = [op for op in range(self.problem.op_count)
                 if self.resident & set(self.problem.inputs[op])]
        if users and self.rng.random() < 0.7:
            return self.rng.choice(users)
        if self.resident and self.rng.random() < 0.3:
            return self.problem.producer[self.rng.choice(sorted(self.resident))]
        if self.rng.random() < 0.1:
            return self.rng.randrange(self.problem.op_count)
        return self.rng.choice(goals)

    def add_single(self, op):
        granularity = random_granularity(self.rng, self.problem, [op])
        self.add([op], granularity or self.coarsest(op), [])

    def coarsest(self, op):
        p = self.problem
        return [p.nw, p.nh, min(p.nk, p.depth_of(op)) if p.is_matmul(op) else 1]

    def choose_retained(self, step):
        if len(self.covered) == self.problem.op_count:
            return []  # only outputs are left to store
        reference.find_tile_position(self.problem, step)
        able = sorted(step.at_tile - self.resident)
        return [t for t in self.rng.sample(able, len(able)) if self.rng.random() < self.retaining]

    def add(self, ops, granularity, retained):
        order = random_order(self.rng, self.problem, ops, granularity)
        self.drafts.append(Draft(ops, granularity, retained, order))
        self.follow(step_of(self.problem, ops, granularity, retained))

    def follow(self, step):
        """What is in slow memory, storable and resident once the step has run."""
        reference.find_tile_position(self.problem, step)
        kept = step.at_tile - set(step.retained)
        self.in_slow |= step.external & self.storable
        self.storable = (self.storable - step.produced) | (kept & step.internal)
        self.in_slow |= {self.problem.output[op] for op in step.sinks} & kept
        self.resident = set(step.retained)
        self.covered |= set(step.ops)


def as_document(rng, drafts):
    document = {
        "subgraphs": [d.ops for d in drafts],
        "granularities": [d.granularity for d in drafts],
        "tensors_to_retain": [d.retained for d in drafts],
        "traversal_orders": [d.order for d in drafts],
        "subgraph_latencies": [rng.uniform(0, 100) for _ in drafts],
    }
    if all(d.order is None for d in drafts) and rng.random() < 0.5:
        del document["traversal_orders"]
    return document
