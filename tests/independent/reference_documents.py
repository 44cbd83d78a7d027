"""Sections 1 and 2 of the cost model: what a problem and a schedule are."""

import math
from fractions import Fraction


class Refused(Exception):
    """A rule is broken. `rule` is the section, e.g. "3.5"."""

    def __init__(self, rule, message):
        super().__init__(message)
        self.rule = rule


def require(condition, rule, message):
    if not condition:
        raise Refused(rule, message)


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value):
    return is_int(value) or (isinstance(value, float) and math.isfinite(value))


def is_int_list(value):
    return isinstance(value, list) and all(is_int(v) for v in value)


class Problem:
    """A problem that passed section 1."""

    def __init__(self, document):
        require(isinstance(document, dict), "1", "problem is not an object")
        self._read_tensors(document)
        self._read_hardware(document)
        self._read_ops(document)
        self._link()
        for op in range(self.op_count):
            self._check_shapes(op)
        self._check_acyclic()

    def _read_tensors(self, document):
        for key in ("widths", "heights"):
            require(is_int_list(document.get(key)), "1", f"{key}: not a list of integers")
        self.widths, self.heights = document["widths"], document["heights"]
        require(len(self.widths) == len(self.heights), "1", "widths and heights differ in length")
        for t, (w, h) in enumerate(zip(self.widths, self.heights)):
            require(w > 0 and h > 0, "1", f"tensor {t}: sizes must be positive")

    def _read_hardware(self, document):
        for key in ("fast_memory_capacity", "slow_memory_bandwidth"):
            value = document.get(key)
            require(is_number(value) and value > 0, "1", f"{key}: must be positive")
        native = document.get("native_granularity")
        require(is_int_list(native) and len(native) == 2 and min(native) > 0,
                "1", "native_granularity: must be two positive integers")
        self.capacity = document["fast_memory_capacity"]
        self.bandwidth = Fraction(document["slow_memory_bandwidth"])
        self.nw, self.nh = native
        self.nk = self.nw

    def _read_ops(self, document):
        keys = ("op_types", "inputs", "outputs", "base_costs")
        for key in keys:
            require(isinstance(document.get(key), list), "1", f"{key}: not a list")
        self.types, self.inputs, outputs, costs = (document[key] for key in keys)
        self.op_count = len(self.types)
        require(len({len(document[key]) for key in keys}) == 1, "1", "op lists differ in length")
        for op in range(self.op_count):
            self._check_op(op, outputs[op], costs[op])
        self.output = [o[0] for o in outputs]
        self.base = [Fraction(c) for c in costs]

    def _check_op(self, op, outputs, cost):
        require(self.types[op] in ("MatMul", "Pointwise"), "1", f"op {op}: unknown type")
        for name, tensors in (("inputs", self.inputs[op]), ("outputs", outputs)):
            require(is_int_list(tensors), "1", f"op {op}: {name} is not a list of integers")
            require(all(0 <= t < len(self.widths) for t in tensors), "1", f"op {op}: no such tensor")
        require(len(outputs) == 1, "1", f"op {op}: must have exactly one output")
        wanted = len(self.inputs[op]) == 2 if self.types[op] == "MatMul" else self.inputs[op]
        require(wanted, "1", f"op {op}: wrong number of inputs")
        require(is_number(cost) and cost >= 0, "1", f"op {op}: base cost must be non-negative")

    def _link(self):
        self.producer = {}
        for op, t in enumerate(self.output):
            require(t not in self.producer, "1", f"tensor {t}: more than one producer")
            self.producer[t] = op
        consumed = {t for tensors in self.inputs for t in tensors}
        self.graph_inputs = consumed - set(self.output)
        self.graph_outputs = set(self.output) - consumed

    def _check_shapes(self, op):
        out = self.shape(self.output[op])
        if self.types[op] == "Pointwise":
            same = all(self.shape(t) == out for t in self.inputs[op])
            require(same, "1", f"op {op}: Pointwise shapes differ")
            return
        (lhs_w, lhs_h), (rhs_w, rhs_h) = (self.shape(t) for t in self.inputs[op])
        require(lhs_w == rhs_h and (rhs_w, lhs_h) == out, "1", f"op {op}: MatMul shapes do not fit")

    def _check_acyclic(self):
        waiting = set(range(self.op_count))
        while waiting:
            blocked = {self.output[op] for op in waiting}
            ready = {op for op in waiting if not blocked & set(self.inputs[op])}
            require(ready, "1", f"ops {sorted(waiting)}: the ops form a cycle")
            waiting -= ready

    def shape(self, t):
        return self.widths[t], self.heights[t]

    def area(self, t):
        return self.widths[t] * self.heights[t]

    def is_matmul(self, op):
        return self.types[op] == "MatMul"

    def depth_of(self, op):
        """K of a MatMul: the columns of its LHS."""
        return self.widths[self.inputs[op][0]]


class Step:
    """One step, and the sets of section 2 that follow from its ops."""

    def __init__(self, problem, ops, granularity, retained, order):
        self.ops, self.retained, self.order = ops, retained, order
        self.w, self.h, self.k = granularity
        consumed = {t for op in ops for t in problem.inputs[op]}
        self.produced = {problem.output[op] for op in ops}
        self.external = consumed - self.produced
        self.internal = consumed & self.produced
        self.sinks = [op for op in ops if problem.output[op] not in consumed]
        self.matmuls = [op for op in ops if problem.is_matmul(op)]


def read_schedule(problem, document):
    require(isinstance(document, dict), "2", "schedule is not an object")
    lists = _parallel_lists(document)
    return [_read_step(problem, i, *row) for i, row in enumerate(zip(*lists))]


def _parallel_lists(document):
    keys = ("subgraphs", "granularities", "tensors_to_retain", "subgraph_latencies")
    for key in keys:
        require(isinstance(document.get(key), list), "2", f"{key}: not a list")
    count = len(document["subgraphs"])
    orders = document.get("traversal_orders", [None] * count)
    require(isinstance(orders, list), "2", "traversal_orders: not a list")
    lists = [document[key] for key in keys[:3]] + [orders]
    same = all(len(part) == count for part in lists + [document[keys[3]]])
    require(same, "2", "schedule lists differ in length")
    return lists


def _read_step(problem, index, ops, granularity, retained, order):
    where = f"step {index}"
    require(is_int_list(ops), "2", f"{where}: subgraph is not a list of integers")
    require(all(0 <= op < problem.op_count for op in ops), "2", f"{where}: no such op")
    is_triple = isinstance(granularity, list) and len(granularity) == 3
    require(is_triple, "2", f"{where}: granularity is not [w, h, k]")
    require(is_int_list(granularity[:2]), "2", f"{where}: w and h must be integers")
    require(is_int_list(retained), "2", f"{where}: retained is not a list of integers")
    in_range = all(0 <= t < len(problem.widths) for t in retained)
    require(in_range, "2", f"{where}: retained: no such tensor")
    require(order is None or is_int_list(order), "2", f"{where}: bad traversal order")
    return Step(problem, ops, granularity, retained, order)
