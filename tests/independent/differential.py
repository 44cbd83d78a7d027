#!/usr/bin/env python3
"""Holds a tilebeam binary against the reference evaluator on random cases.

For each case and both depth readings:
    BINARY evaluate PROBLEM SCHEDULE --json --depth native|full
Usage:  python3 differential.py --tilebeam BINARY --count N --seed S [--keep DIR]
Files of mismatching cases are kept. Exit status: 0 if all agree, 1 if not.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import random_cases
import reference_evaluator as reference

CLOSE = ("latency", "compute_time", "memory_time")
EQUAL = ("peak_fast_memory", "loads", "stores")


def close(a, b):
    is_pair = all(isinstance(v, (int, float)) for v in (a, b))
    return is_pair and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def run_binary(binary, paths, depth):
    """(exit code, parsed JSON or None, what went wrong or None)."""
    command = [binary, "evaluate", *map(str, paths), "--json", "--depth", depth]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None, None, "no answer within 60 seconds"
    try:
        document = json.loads(done.stdout)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        trouble = f"exit code {done.returncode}, no JSON object: {done.stderr.strip()[:200]}"
        return done.returncode, None, trouble
    return done.returncode, document, None


def compare_steps(expected, actual, subgraphs):
    if not isinstance(actual, list) or len(actual) != len(expected):
        return ["steps: wrong number of steps"]
    problems = []
    for i, (want, got) in enumerate(zip(expected, actual)):
        pairs = [(key, want[key], got.get(key)) for key in CLOSE + EQUAL]
        problems += [f"step {i}: {key}: expected {a!r}, got {b!r}" for key, a, b in pairs
                     if not (close(a, b) if key in CLOSE else a == b)]
        if got.get("ops") != subgraphs[i]:
            problems.append(f"step {i}: ops: expected {subgraphs[i]}, got {got.get('ops')}")
    return problems


def compare(expected, code, actual, subgraphs):
    """Differences as lines of text; empty if there are none."""
    verdict = f"expected valid={expected['valid']} ({expected['rule']}: {expected['error']})"
    if actual.get("valid") is not expected["valid"]:
        return [f"{verdict}, got valid={actual.get('valid')} ({actual.get('error')})"]
    if code != (0 if expected["valid"] else 1):
        return [f"{verdict}, got exit code {code}"]
    if not expected["valid"]:
        return []
    problems = compare_steps(expected["steps"], actual.get("steps"), subgraphs)
    if not close(expected["total_latency"], actual.get("total_latency")):
        totals = expected["total_latency"], actual.get("total_latency")
        problems.append("total_latency: expected {!r}, got {!r}".format(*totals))
    return problems


def check_case(binary, seed, directory):
    """Number of (passed, failed) comparisons for one case; deletes the files if none failed."""
    case = random_cases.make_case(seed)
    paths = random_cases.write_case(case, directory / f"case-{seed}")
    failed = 0
    for depth in ("native", "full"):
        expected = reference.evaluate(*case, depth)
        code, actual, trouble = run_binary(binary, paths, depth)
        problems = [trouble] if trouble else compare(expected, code, actual, case[1]["subgraphs"])
        if problems:
            failed += 1
            print(f"MISMATCH seed {seed} --depth {depth}: {paths[0]} {paths[1]}")
            print("".join(f"  {line}\n" for line in problems), end="", flush=True)
    if not failed:
        for path in paths:
            path.unlink()
    return 2 - failed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilebeam", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="where files of mismatches go")
    options = parser.parse_args()
    directory = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="tilebeam-differential-"))
    directory.mkdir(parents=True, exist_ok=True)
    counts = [check_case(options.tilebeam, options.seed + i, directory) for i in range(options.count)]
    passed, failed = (sum(column) for column in zip(*counts)) if counts else (0, 0)
    if not failed and options.keep is None:
        directory.rmdir()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
