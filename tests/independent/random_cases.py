#!/usr/bin/env python3
"""Seeded random problems and schedules that aim at every rule of the cost model.

A case starts from a valid schedule, built step by step; about half of the
cases then break one rule on purpose. The reference evaluator only measures
(peaks, number of the broken rule); it never repairs.

As a script:  python3 random_cases.py --count N --seed S --out DIR
"""

import argparse
import collections
import json
import pathlib
import random

import reference_evaluator as reference
from broken_schedules import broken
from random_problems import HUGE, make_problem
from random_schedules import ScheduleBuilder, as_document
from reference_documents import Problem


def make_case(seed):
    """(problem, schedule), both JSON documents; the same for the same seed."""
    rng = random.Random(seed)
    problem_document = make_problem(rng)
    problem = Problem(problem_document)
    drafts = ScheduleBuilder(rng, problem).build()
    schedule = as_document(rng, drafts)
    result = reference.evaluate(problem_document, schedule)
    peak = max((step["peak_fast_memory"] for step in result["steps"]), default=1)
    fate = rng.choice(("exact", "exact", "roomy", "roomy", "short", "broken", "broken", "broken"))
    margin = {"exact": 0, "short": -1}.get(fate, rng.randint(0, 50))
    if fate == "broken":
        schedule = broken(rng, problem_document, problem, drafts) or schedule
        margin = HUGE
    return dict(problem_document, fast_memory_capacity=max(1, peak + margin)), schedule


def write_case(case, stem):
    """Writes STEM.problem.json and STEM.schedule.json; returns the two paths."""
    paths = [pathlib.Path(f"{stem}.{part}.json") for part in ("problem", "schedule")]
    for path, document in zip(paths, case):
        path.write_text(json.dumps(document) + "\n")
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    verdicts = collections.Counter()
    for i in range(options.count):
        case = make_case(options.seed + i)
        write_case(case, options.out / f"case-{i}")
        verdicts[reference.evaluate(*case)["rule"] or "valid"] += 1
    for verdict, count in sorted(verdicts.items()):
        print(f"{verdict:>10} {count}")


if __name__ == "__main__":
    main()
