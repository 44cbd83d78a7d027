#!/usr/bin/env python3
"""Reference evaluator: the cost model of docs/cost-model.md, read literally.

Every iteration of every step is carried out as the text says, in exact
rational arithmetic. Nothing is collapsed, cached or shared with any other
implementation; slow on purpose. Section numbers in comments are the page's.

As a script:  python3 reference_evaluator.py PROBLEM SCHEDULE [--depth native|full]
"""

import argparse
import json
import sys
from fractions import Fraction

from reference_documents import Problem, Refused, is_int, read_schedule, require

LEFT, RIGHT = "left", "right"


def ceil_div(a, b):
    return -(-a // b)


def length(interval):
    return interval[1] - interval[0]


# --- Section 3: what makes a step valid ---------------------------------------


def check_ops(problem, step):
    """Rule 1."""
    require(step.ops, "3.1", "empty subgraph")
    require(len(set(step.ops)) == len(step.ops), "3.1", "an op is listed twice")
    done = set()
    for op in step.ops:
        for t in problem.inputs[op]:
            require(t in step.external or t in done, "3.1", f"op {op} stands before its producer")
        done.add(problem.output[op])


def check_connected(problem, step):
    """Rule 2."""
    touched = {op: set(problem.inputs[op]) | {problem.output[op]} for op in step.ops}
    reached = {step.ops[0]}
    while True:
        tensors = set().union(*(touched[op] for op in reached))
        more = {op for op in step.ops if touched[op] & tensors}
        if more == reached:
            break
        reached = more
    require(len(reached) == len(step.ops), "3.2", "the subgraph is not connected")


def check_grid_shape(problem, step):
    """Rule 3."""
    shapes = {problem.shape(problem.output[op]) for op in step.sinks}
    require(len(shapes) == 1, "3.3", "sinks differ in shape")
    step.grid_w, step.grid_h = shapes.pop()


def check_granularity(problem, step):
    """Rule 4."""
    require(1 <= step.w <= problem.nw, "3.4", f"w {step.w} is not in 1..{problem.nw}")
    require(1 <= step.h <= problem.nh, "3.4", f"h {step.h} is not in 1..{problem.nh}")
    if step.matmuls:
        require(is_int(step.k), "3.4", "k must be an integer")
        require(1 <= step.k <= problem.nk, "3.4", f"k {step.k} is not in 1..{problem.nk}")
    for op in step.matmuls:
        require(step.k <= problem.depth_of(op), "3.4", f"k {step.k} is above K of op {op}")


def check_prologues(problem, step):
    """Rule 5. The condition k < K is read as governing both halves."""
    def made_by_pointwise(t):
        return t in step.produced and not problem.is_matmul(problem.producer[t])

    for op in step.matmuls:
        depth = problem.depth_of(op)
        if step.k >= depth:
            continue
        lhs, rhs = problem.inputs[op]
        require(not made_by_pointwise(lhs) or step.w >= depth, "3.5", f"op {op}: LHS prologue, w < K")
        require(not made_by_pointwise(rhs) or step.h >= depth, "3.5", f"op {op}: RHS prologue, h < K")


def check_externals(step, in_slow, resident):
    """Rule 6."""
    for t in sorted(step.external):
        require(t in in_slow or t in resident, "3.6", f"tensor {t} is neither in slow memory nor resident")


def check_retained(problem, step, resident):
    """Rule 7. "Carried in" is read as forbidding it even when S produces it again."""
    require(len(set(step.retained)) == len(step.retained), "3.7", "a tensor is retained twice")
    for t in step.retained:
        require(t in step.produced, "3.7", f"retained tensor {t} is not produced")
        require(t not in problem.graph_inputs, "3.7", f"retained tensor {t} is a graph input")
        require(t not in resident, "3.7", f"retained tensor {t} was carried in")


def check_tile_position(step):
    """Rule 8."""
    for t in step.stored + step.retained:
        require(t in step.at_tile, "3.8", f"tensor {t} is stored or retained off tile position")


# --- Section 4: tiles, tile position, roots, k-steps ----------------------------


def find_tile_position(problem, step):
    step.at_tile = set()
    pending = [problem.output[op] for op in step.sinks]
    while pending:
        t = pending.pop()
        step.at_tile.add(t)
        op = problem.producer[t]
        if not problem.is_matmul(op):
            pending += [u for u in problem.inputs[op] if u in step.internal]
    step.roots = [op for op in step.matmuls if problem.output[op] in step.at_tile]
    step.tile_pointwise = [op for op in step.ops
                           if problem.output[op] in step.at_tile and op not in step.matmuls]
    step.k_steps = max((ceil_div(problem.depth_of(op), step.k) for op in step.roots), default=1)


def tile_sequence(step):
    """The tiles as (row range, column range), in traversal order (section 2)."""
    columns, rows = ceil_div(step.grid_w, step.w), ceil_div(step.grid_h, step.h)
    order = list(range(columns * rows)) if step.order is None else step.order
    is_permutation = sorted(order) == list(range(columns * rows))
    require(is_permutation, "2", "the traversal order is not a permutation of the tiles")
    tiles = []
    for index in order:
        top, left = index // columns * step.h, index % columns * step.w
        tiles.append(((top, min(step.grid_h, top + step.h)), (left, min(step.grid_w, left + step.w))))
    return tiles


class Iteration:
    """What one (tile, k-step) demands and computes (sections 4 and 5)."""

    def __init__(self, problem, step, depth, tile, j):
        self.problem, self.step, self.depth = problem, step, depth
        self.slices, self.made, self.compute = set(), set(), Fraction(0)
        for op in step.roots:
            self._run_root(op, tile, j)
        if j == step.k_steps - 1:
            for op in step.tile_pointwise:
                self._run_on_tile(op, tile)

    def _run_root(self, op, tile, j):
        k, total = self.step.k, self.problem.depth_of(op)
        if j * k >= total:
            return
        rows, columns = tile
        reduction = (j * k, min(total, (j + 1) * k))
        self.compute += self.problem.base[op] * self._streamed(length(reduction), total)
        lhs, rhs = self.problem.inputs[op]
        self._demand(lhs, rows, reduction, LEFT)
        self._demand(rhs, reduction, columns, RIGHT)

    def _run_on_tile(self, op, tile):
        self.compute += self.problem.base[op]
        for t in self.problem.inputs[op]:
            if t in self.step.external:
                self.slices.add((t, *tile))

    def _streamed(self, part, total):
        """The share of `base` for a reduction over `part` of K = `total`."""
        return Fraction(part, self.problem.nk if self.depth == "native" else total)

    def _demand(self, t, rows, columns, kind):
        if t in self.step.external:
            self.slices.add((t, rows, columns))
            return
        if (t, rows, columns, kind) in self.made:
            return
        self.made.add((t, rows, columns, kind))
        op = self.problem.producer[t]
        make = self._make_by_matmul if self.problem.is_matmul(op) else self._make_by_pointwise
        make(op, rows, columns, kind)

    def _make_by_matmul(self, op, rows, columns, kind):
        p, total = self.problem, self.problem.depth_of(op)
        if kind == LEFT:
            extent = Fraction(length(columns), p.nk) * ceil_div(length(rows), p.nh)
        else:
            extent = Fraction(length(rows), p.nk) * ceil_div(length(columns), p.nw)
        self.compute += p.base[op] * self._streamed(total, total) * extent
        lhs, rhs = p.inputs[op]
        self._demand(lhs, rows, (0, total), LEFT)
        self._demand(rhs, (0, total), columns, RIGHT)

    def _make_by_pointwise(self, op, rows, columns, kind):
        p = self.problem
        self.compute += p.base[op] * ceil_div(length(columns), p.nw) * ceil_div(length(rows), p.nh)
        for t in p.inputs[op]:
            self._demand(t, rows, columns, kind)


# --- Section 5: loads, stores, time; section 7: working set -----------------------


def whole(problem, t):
    return (t, (0, problem.heights[t]), (0, problem.widths[t]))


def slice_area(piece):
    return length(piece[1]) * length(piece[2])


def loaded_set(problem, slices, resident):
    """Less the residents; a whole tensor ousts its smaller slices."""
    kept = {s for s in slices if s[0] not in resident}
    return {s for s in kept if s == whole(problem, s[0]) or whole(problem, s[0]) not in kept}


def load_cost(problem, current, previous):
    return sum(slice_area(s) for s in current
               if s not in previous and whole(problem, s[0]) not in previous)


def working_set(problem, step, resident, current, finished, tile_area, is_last):
    accumulators = sum(1 for op in step.roots if step.k < problem.depth_of(op))
    outputs = len(step.stored) + len(step.retained) if is_last else 0
    return (sum(problem.area(t) for t in resident)
            + sum(slice_area(s) for s in current)
            + len(step.retained) * finished
            + max(accumulators, outputs) * tile_area)


def simulate(problem, step, resident, depth):
    latency = compute_time = Fraction(0)
    loads = stores = peak = finished = 0
    previous = set()
    for tile in tile_sequence(step):
        tile_area = length(tile[0]) * length(tile[1])
        for j in range(step.k_steps):
            is_last = j == step.k_steps - 1
            iteration = Iteration(problem, step, depth, tile, j)
            current = loaded_set(problem, iteration.slices, resident)
            loaded = load_cost(problem, current, previous)
            stored = len(step.stored) * tile_area if is_last else 0
            latency += max(iteration.compute, (loaded + stored) / problem.bandwidth)
            compute_time += iteration.compute
            loads, stores = loads + loaded, stores + stored
            peak = max(peak, working_set(problem, step, resident, current, finished, tile_area, is_last))
            previous = current
        finished += tile_area
    return {"latency": latency, "peak_fast_memory": peak, "compute_time": compute_time,
            "memory_time": (loads + stores) / problem.bandwidth,
            "loads": loads, "stores": stores, "stored": step.stored}


# --- Section 6: what is stored ------------------------------------------------------


def needed_later(steps, index, t):
    for later in range(index + 1, len(steps)):
        resident = steps[later - 1].retained
        if t in steps[later].external and t not in resident:
            return True
        if t in steps[later].produced:  # that step is "in between" for all that follow
            return False
    return False


def find_stored(problem, steps, index, in_slow):
    step = steps[index]
    sinks = {problem.output[op] for op in step.sinks}
    internal = {t for t in step.internal if t not in in_slow and needed_later(steps, index, t)}
    return sorted((sinks | internal) - set(step.retained))


# --- The whole schedule -----------------------------------------------------------


def run_step(problem, steps, index, in_slow, depth):
    step = steps[index]
    resident = set(steps[index - 1].retained) if index else set()
    check_ops(problem, step)
    check_connected(problem, step)
    check_grid_shape(problem, step)
    check_granularity(problem, step)
    check_prologues(problem, step)
    check_externals(step, in_slow, resident)
    check_retained(problem, step, resident)
    find_tile_position(problem, step)
    step.stored = find_stored(problem, steps, index, in_slow)
    check_tile_position(step)
    return simulate(problem, step, resident, depth)


def run_schedule(problem, steps, depth, results):
    """Appends each step's result, so that they are there when a later rule breaks."""
    in_slow = set(problem.graph_inputs)
    for index in range(len(steps)):
        try:
            result = run_step(problem, steps, index, in_slow, depth)
            results.append(result)
            peak = result["peak_fast_memory"]
            require(peak <= problem.capacity, "3.9", f"working set {peak} over capacity {problem.capacity}")
        except Refused as refusal:
            raise Refused(refusal.rule, f"step {index}: {refusal}") from None
        in_slow |= set(steps[index].stored)
    missing = set(range(problem.op_count)) - {op for step in steps for op in step.ops}
    require(not missing, "3.cover", f"ops {sorted(missing)} stand in no step")
    missing = problem.graph_outputs - in_slow
    require(not missing, "3.output", f"graph outputs {sorted(missing)} are never stored")


def evaluate(problem, schedule, depth="native"):
    """Judge and price `schedule`; both arguments are the parsed JSON documents.

    If it is refused, "steps" holds the steps before the offending one (and
    that one too if only its working set is at fault).
    """
    if depth not in ("native", "full"):
        raise ValueError(f"unknown depth reading {depth!r}")
    results, error, rule, total = [], None, None, None
    try:
        checked = Problem(problem)
        run_schedule(checked, read_schedule(checked, schedule), depth, results)
        total = float(sum(r["latency"] for r in results))
    except Refused as refusal:
        error, rule = str(refusal), refusal.rule
    for result in results:
        for key in ("latency", "compute_time", "memory_time"):
            result[key] = float(result[key])
    return {"valid": error is None, "error": error, "rule": rule,
            "total_latency": total, "steps": results}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem")
    parser.add_argument("schedule")
    parser.add_argument("--depth", choices=("native", "full"), default="native")
    options = parser.parse_args()
    with open(options.problem) as p, open(options.schedule) as s:
        result = evaluate(json.load(p), json.load(s), options.depth)
    print(json.dumps(result, indent=2))
    return 0 if result["valid"] else 1


if __name__ == "__main__":
    sys.exit(main())
