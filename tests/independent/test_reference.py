#!/usr/bin/env python3
"""The worked examples of the cost model (section 8), and one refusal per rule."""

import copy
import unittest

from reference_evaluator import evaluate


def problem(types, inputs, outputs, costs, size, capacity):
    tensors = 1 + max(t for part in inputs + outputs for t in part)
    return {"widths": [size] * tensors, "heights": [size] * tensors, "op_types": types,
            "inputs": inputs, "outputs": outputs, "base_costs": costs,
            "fast_memory_capacity": capacity, "slow_memory_bandwidth": 10,
            "native_granularity": [128, 128]}


def schedule(subgraphs, granularity, retained=None, orders=None):
    count = len(subgraphs)
    return {"subgraphs": subgraphs, "granularities": [granularity] * count,
            "tensors_to_retain": retained or [[] for _ in range(count)],
            "traversal_orders": orders or [None] * count, "subgraph_latencies": [0.0] * count}


PW, MM = "Pointwise", "MatMul"
CHAIN = problem([PW, PW], [[0], [1]], [[1], [2]], [1000, 100], 128, 35000)
BIG_CHAIN = problem([PW, PW], [[0], [1]], [[1], [2]], [1000, 100], 256, 35000)
DIAMOND = problem([PW] * 3, [[0], [1], [1, 2]], [[1], [2], [3]], [1500] * 3, 128, 50000)
MATMUL = problem([MM], [[0, 1]], [[2]], [1500], 128, 25000)
NESTED = problem([MM, MM], [[0, 1], [3, 2]], [[3], [4]], [2000, 2000], 128, 45000)
FULL = [128, 128, 1]


class WorkedExamples(unittest.TestCase):
    def check(self, problem_, schedule_, latencies):
        result = evaluate(problem_, schedule_)
        self.assertIsNone(result["error"])
        got = [step["latency"] for step in result["steps"]]
        self.assertEqual(len(got), len(latencies))
        for a, b in zip(got, latencies):
            self.assertAlmostEqual(a, b, delta=1e-12 * b)
        self.assertAlmostEqual(result["total_latency"], sum(latencies), delta=1e-9)
        return result["steps"]

    def test_1a(self):
        self.check(CHAIN, schedule([[0], [1]], FULL), [3276.8, 3276.8])

    def test_1b(self):
        self.check(CHAIN, schedule([[0, 1]], FULL), [3276.8])

    def test_1c(self):
        self.check(CHAIN, schedule([[0, 1]], [64, 64, 1]), [4400])

    def test_2a(self):
        self.check(BIG_CHAIN, schedule([[0], [1]], FULL), [13107.2, 13107.2])

    def test_2b(self):
        self.check(BIG_CHAIN, schedule([[0, 1]], FULL), [13107.2])

    def test_3a(self):
        self.check(DIAMOND, schedule([[0], [1], [2]], FULL), [3276.8, 3276.8, 4915.2])

    def test_3b(self):
        self.check(DIAMOND, schedule([[0, 1], [0, 2]], FULL, [[2], []]), [3000, 3276.8])

    def test_3c(self):
        self.check(DIAMOND, schedule([[0], [1, 2]], FULL, [[1], []]), [1638.4, 3000])

    def test_4a(self):
        steps = self.check(MATMUL, schedule([[0]], [64, 64, 128]), [7096])
        self.assertEqual(steps[0]["peak_fast_memory"], 20480)

    def test_4b(self):
        self.check(MATMUL, schedule([[0]], [64, 64, 128], orders=[[0, 1, 3, 2]]), [6548])

    def test_5a(self):
        result = evaluate(NESTED, schedule([[0, 1]], [128, 128, 128]))
        self.assertEqual((result["valid"], result["rule"]), (False, "3.9"))

    def test_5b(self):
        steps = self.check(NESTED, schedule([[0, 1]], [128, 128, 32]), [6915.2])
        self.assertEqual(steps[0]["peak_fast_memory"], 40960)


class Refusals(unittest.TestCase):
    def refused(self, rule, problem_, schedule_):
        result = evaluate(problem_, schedule_)
        self.assertEqual((result["rule"], result["total_latency"]), (rule, None), result["error"])

    def test_rule_1(self):
        for ops in ([], [0, 0, 1], [1, 0]):
            self.refused("3.1", CHAIN, schedule([ops], FULL))

    def test_rule_2(self):
        apart = problem([PW, PW], [[0], [1]], [[2], [3]], [1, 1], 128, 90000)
        self.refused("3.2", apart, schedule([[0, 1]], FULL))

    def test_rule_3(self):
        shapes = problem([MM, PW], [[0, 1], [0]], [[2], [3]], [1, 1], 128, 90000)
        shapes["widths"][1] = shapes["widths"][2] = 64
        self.refused("3.3", shapes, schedule([[0, 1]], [64, 64, 64]))

    def test_rule_4(self):
        for w, h, k in ((0, 1, 1), (129, 1, 1), (1, 0, 1), (1, 129, 1), (1, 1, 0), (1, 1, 129)):
            self.refused("3.4", MATMUL, schedule([[0]], [w, h, k]))
        self.assertTrue(evaluate(CHAIN, schedule([[0, 1]], [128, 128, -7]))["valid"])

    def test_rule_5(self):
        for inputs in ([2, 1], [1, 2]):
            prologue = problem([PW, MM], [[0], inputs], [[2], [3]], [1, 1], 128, 90000)
            self.refused("3.5", prologue, schedule([[0, 1]], [64, 64, 64]))
            self.assertTrue(evaluate(prologue, schedule([[0, 1]], [64, 64, 128]))["valid"])
            self.assertTrue(evaluate(prologue, schedule([[0, 1]], [128, 128, 64]))["valid"])

    def test_rule_6(self):
        self.refused("3.6", CHAIN, schedule([[1], [0]], FULL))

    def test_rule_7(self):
        self.refused("3.7", CHAIN, schedule([[0, 1]], FULL, [[0]]))
        self.refused("3.7", CHAIN, schedule([[0], [1]], FULL, [[1, 1], []]))
        self.refused("3.7", DIAMOND, schedule([[0], [1], [2]], FULL, [[1], [1], []]))

    def test_rule_8(self):
        self.refused("3.8", NESTED, schedule([[0, 1]], [128, 128, 32], [[3]]))
        reused = problem([MM, MM, PW], [[0, 1], [3, 2], [3]], [[3], [4], [5]], [1] * 3, 128, 90000)
        self.refused("3.8", reused, schedule([[0, 1], [2]], [128, 128, 32]))

    def test_coverage_and_outputs(self):
        self.refused("3.cover", CHAIN, schedule([[0]], FULL))
        self.refused("3.output", CHAIN, schedule([[0, 1]], FULL, [[2]]))

    def test_traversal_order(self):
        for order in ([], [0, 1, 2], [0, 1, 2, 2], [1, 2, 3, 4]):
            self.refused("2", MATMUL, schedule([[0]], [64, 64, 128], orders=[order]))


class MalformedProblems(unittest.TestCase):
    CHANGES = {"widths": [0, 128, 128], "heights": [128, 128], "op_types": ["Add"],
               "inputs": [[0]], "outputs": [[2, 1]], "base_costs": [-1],
               "fast_memory_capacity": 0, "slow_memory_bandwidth": -1, "native_granularity": [128]}

    def test_each_key(self):
        for key, value in self.CHANGES.items():
            broken = copy.deepcopy(MATMUL)
            broken[key] = value
            self.assertEqual(evaluate(broken, schedule([[0]], FULL))["rule"], "1", key)

    def test_cycle_and_two_producers(self):
        cycle = problem([PW, PW], [[0], [1]], [[1], [0]], [1, 1], 128, 90000)
        twice = problem([PW, PW], [[0], [0]], [[1], [1]], [1, 1], 128, 90000)
        for broken in (cycle, twice):
            self.assertEqual(evaluate(broken, schedule([[0], [1]], FULL))["rule"], "1")


class FullDepth(unittest.TestCase):
    def test_only_the_reduction_share_changes(self):
        deep = problem([MM, MM], [[0, 1], [3, 2]], [[3], [4]], [2000, 2000], 256, 10**6)
        tiling = schedule([[0, 1]], [128, 128, 64])
        native, full = (evaluate(deep, tiling, d)["steps"][0]["compute_time"] for d in ("native", "full"))
        self.assertEqual(native, 4 * (2000 * 2 + 2000 * 2 * 2))
        self.assertEqual(full, 4 * (2000 + 2000 * 2))


if __name__ == "__main__":
    unittest.main()
