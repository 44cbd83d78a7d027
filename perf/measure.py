"""Runs of tilebeam, measured: what the studies of this folder share."""

import json
import math
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("PROGRAM", str(ROOT / "build/release/bin/tilebeam"))


def run(*arguments):
    """Runs tilebeam; its standard output. A run that fails ends the study."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"tilebeam {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def generate(path, kind, ops, seed, memory):
    run("generate", kind, "--ops", ops, "--seed", seed, "--memory", memory, "--output", path)


def solve(problem, *options):
    """Solves, has `evaluate` confirm the total, and returns the content of --stats."""
    with tempfile.TemporaryDirectory() as folder:
        statistics = Path(folder) / "statistics.json"
        schedule = Path(folder) / "schedule.json"
        run("solve", problem, "--output", schedule, "--stats", statistics, *options)
        found = json.loads(statistics.read_text())
        depth = found["options"]["depth"]
        judged = json.loads(run("evaluate", problem, schedule, "--depth", depth, "--json"))
    if not judged["valid"] or judged["total_latency"] != found["total_latency"]:
        raise SystemExit(f"{problem}: evaluate and solve disagree")
    return found


def exponent(sizes, values):
    """The slope of the line through the points in logarithms: values grow as sizes to this."""
    x = [math.log(size) for size in sizes]
    y = [math.log(value) for value in values]
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y))
    return covariance / sum((a - x_mean) ** 2 for a in x)


def table(head, rows):
    """Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)
