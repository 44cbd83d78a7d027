"""Measures what docs/results.md reports and prints that page; see scripts/bench."""

import argparse
import csv
import datetime
import json
import platform
import subprocess
import sys
from pathlib import Path

from measure import ROOT, run, solve, table

BUNDLED = ROOT / "benchmarks/problems"


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def output_of(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout.strip()


def machine():
    cpu = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 2**20
    cores = output_of("nproc")
    return f"{cores} cores of {cpu}, {memory:.0f} GiB, {platform.freedesktop_os_release()['PRETTY_NAME']}"


def read_baseline(path):
    if path is None:
        return {}
    with open(path, newline="") as file:
        return {row["problem"]: float(row["latency"]) for row in csv.DictReader(file)}


def number(value):
    return f"{value:.12g}"


def problems_table(problems, depth, seconds, baseline):
    rows = []
    for problem in problems:
        say(f"{problem.stem}, {depth} depth")
        found = solve(problem, "--depth", depth, "--time-limit", seconds)
        last = found["incumbents"][-1]
        row = [
            problem.stem, found["ops"], number(found["total_latency"]), number(found["bound"]),
            f"{100 * found['gap']:.2f}", f"{last['seconds']:.3f}", f"{last['steps_scored']:,}",
            found["status"],
        ]
        if baseline:
            known = baseline.get(problem.stem)
            row.append(f"{found['total_latency'] / known:.4f}" if known else "")
        rows.append(row)
    head = ["problem", "ops", "total", "bound", "gap %", "best after s", "steps scored until then",
            "status"]
    return table(head + (["ratio to baseline"] if baseline else []), rows)


def natural(path):
    return (path.stem.rstrip("0123456789"),
            int("0" + path.stem[len(path.stem.rstrip("0123456789")):]))


def pieces():
    say("micro-benchmarks")
    report = json.loads(output_of(
        ROOT / "build/release/bin/tilebeam_bench", "--benchmark_format=json",
        "--benchmark_repetitions=5", "--benchmark_report_aggregates_only=true"))
    rows = []
    for b in report["benchmarks"]:
        if b["aggregate_name"] != "median":
            continue
        rate = b.get("items_per_second")
        rows.append([b["run_name"].removesuffix("/real_time"), f"{b['real_time']:.4g} {b['time_unit']}",
                     f"{rate:,.0f}" if rate else ""])
    return table(["benchmark", "median time", "items a second"], rows)


def threads():
    parts = []
    for name in ["random-50", "moe-72", "recurrent-112"]:
        say(f"threads, {name}")
        parts.append(output_of(
            ROOT / "build/release/bin/tilebeam", "scale", BUNDLED / f"{name}.json", "--threads",
            "1,2", "--beam-width", "256,1024", "--max-rounds", 4, "--repeat", 3, "--project",
            "8,64"))
        parts[-1] = f"`{name}`:\n\n```\n{parts[-1]}\n```"
    return "\n\n".join(parts)


def study(script, *options):
    say(script)
    return output_of(ROOT / "perf" / script, *options)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=Path, help="a directory of further problems")
    parser.add_argument("--baseline", type=Path, help="CSV problem,latency to compare those with")
    parser.add_argument("--seconds", type=float, default=3, help="time limit per problem")
    parser.add_argument("--most", type=int, default=1_000_000, help="ops of the largest graph")
    arguments = parser.parse_args()
    sets = [("Bundled problems", sorted(BUNDLED.glob("*.json"), key=natural), {})]
    if arguments.problems:
        others = sorted(arguments.problems.glob("*.json"), key=natural)
        sets.append((f"Problems of `{arguments.problems}`", others,
                     read_baseline(arguments.baseline)))

    print("# Results\n")
    print(f"Written by `scripts/bench` on {datetime.date.today()}, tilebeam "
          f"{run('--version').split()[-1]}, release preset: {machine()}. Every total has been "
          "confirmed by `tilebeam evaluate`. Times are wall times of one run each unless stated; "
          "those below a second vary by some per cent from run to run.\n")
    for title, problems, baseline in sets:
        for depth in ["native", "full"]:
            print(f"## {title}, {depth} depth\n")
            print(f"`tilebeam solve P --depth {depth} --time-limit {arguments.seconds:g}`. "
                  "Steps scored are step simulations.\n")
            print(problems_table(problems, depth, arguments.seconds, baseline) + "\n")
    print("## What each feature is worth\n")
    print("`perf/ablation`: the bundled problems, 8 rounds, native depth.\n")
    print(study("ablation") + "\n")
    print("## Generated problems\n")
    print(study("generated") + "\n")
    print("## Size of the graph\n")
    print(study("growth", "--most", arguments.most) + "\n")
    print("## Threads\n")
    print(threads() + "\n")
    print("## Pieces\n")
    print("`tilebeam_bench`, see [perf/README.md](../perf/README.md); medians of 5 repetitions.\n")
    print(pieces())


if __name__ == "__main__":
    main()
