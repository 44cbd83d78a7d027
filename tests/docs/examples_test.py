"""Runs the examples of the documentation as printed, page by page, each in a folder of its own.

Commands of tilebeam in blocks of shell, and lines that begin with "$ ", must end well; what is
printed below the latter must come out, whatever the times.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ELSEWHERE = {"many-machines.md"}  # its commands have tests of their own
PLACEHOLDER = re.compile(r"\b(PROBLEM|SCHEDULE|MODEL|FILE|PATH)\b")


def blocks(page):
    """Pairs of a fenced block's language and its lines."""
    language, lines = None, []
    for line in page.read_text().splitlines():
        if not line.startswith("```"):
            lines.append(line)
        elif language is None:
            language, lines = line[3:].strip(), []
        else:
            yield language, lines
            language = None


def examples(page):
    """Pairs of a command and the lines of output that are shown for it."""
    for language, lines in blocks(page):
        text = "\n".join(lines).replace("\\\n", " ").splitlines()
        if language == "" and any(line.startswith("$ ") for line in text):
            for part in ("\n" + "\n".join(text)).split("\n$ ")[1:]:
                command, *output = part.splitlines()
                yield command, [line for line in output if line.strip()]
        elif language in ("", "sh"):
            for line in text:
                if line.startswith(("tilebeam ", "mlsys ")) and not PLACEHOLDER.search(line):
                    yield line, []


def without_times(line):
    return re.sub(r"\d+(\.\d+)? s\b", "T s", line).rstrip()


def check(command, shown, folder, environment):
    """What is wrong with an example; empty if nothing is."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stdout}"
    printed = iter([without_times(line) for line in done.stdout.splitlines()])
    for line in shown:
        if without_times(line) not in printed:
            return f"not printed: {line}\n{done.stdout}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="the folder they are in")
    parser.add_argument("--source", type=Path, required=True)
    arguments = parser.parse_args()
    environment = dict(os.environ, PATH=f"{arguments.programs}:{os.environ['PATH']}")
    pages = [arguments.source / "README.md", arguments.source / "benchmarks/README.md",
             *sorted((arguments.source / "docs").glob("*.md"))]
    run = failed = 0
    for page in pages:
        if page.name in ELSEWHERE:
            continue
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "benchmarks").symlink_to(arguments.source / "benchmarks")
            for command, shown in examples(page):
                run += 1
                fault = check(command, shown, folder, environment)
                if fault:
                    failed += 1
                    print(f"{page.name}: {command}\n  {fault}")
    print(f"{run} examples, {failed} failed")
    sys.exit(failed > 0 or run == 0)


if __name__ == "__main__":
    main()
