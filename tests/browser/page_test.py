"""The page of `tilebeam render --to html`, in Chromium: it opens without an error, its numbers are
the evaluator's, and pointing at a step shows the step's ops.

Usage: page_test.py TILEBEAM    exits with 77 if there is no Chromium
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import webdriver

TILEBEAM = ""

# What the page shows of the step that is pointed at.
HOT = """return {
    ops: [...document.querySelectorAll('#graph .run.hot')].map(run => Number(run.dataset.op)),
    boxes: [...document.querySelectorAll('#graph .box.hot')].map(box => Number(box.dataset.step)),
    rows: [...document.querySelectorAll('#steps tr.hot')].map(row => Number(row.dataset.step)),
    panel: document.querySelector('#details h2').textContent };"""
NOTHING = {"ops": [], "boxes": [], "rows": [], "panel": "Step"}

# The middle of an element, brought into view.
MIDDLE = """
    const element = document.querySelector(arguments[0]);
    element.scrollIntoView({block: 'center'});
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];"""

ROWS = """return [...document.querySelectorAll(arguments[0] + ' tbody tr:not(.gap)')].map(
    row => [...row.cells].map(cell => cell.textContent));"""


def tilebeam(*arguments):
    run = subprocess.run([TILEBEAM, *map(str, arguments)], check=True, capture_output=True, text=True)
    return run.stdout


def shown(number):
    """As the page writes numbers, but for the spaces between thousands."""
    text = f"{number:.12g}"
    return text if "e" in text else str(float(text)).removesuffix(".0")


def unspaced(text):
    return text.replace("\u2009", "")


def listed(ids):
    start = ", ".join(map(str, ids[:8])) or "–"
    return f"{start}, … ({len(ids)})" if len(ids) > 8 else start


def chain_of(count):
    """A chain of Pointwise ops, one step each."""
    problem = {
        "widths": [64] * (count + 1), "heights": [64] * (count + 1),
        "op_types": ["Pointwise"] * count, "inputs": [[i] for i in range(count)],
        "outputs": [[i + 1] for i in range(count)],
        "base_costs": [500 + i * 7919 % 1000 for i in range(count)],
        "fast_memory_capacity": 30000, "slow_memory_bandwidth": 10, "native_granularity": [64, 64],
    }
    schedule = {
        "subgraphs": [[i] for i in range(count)], "granularities": [[64, 64, 1]] * count,
        "tensors_to_retain": [[i + 1] if i % 2 == 0 and i + 1 < count else [] for i in range(count)],
    }
    return problem, schedule


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.browser = webdriver.Browser()
        cls.addClassCleanup(cls.browser.close)
        # A name that is markup, if anyone takes it for that.
        problem = cls.directory / '<!--<script>&"b".json'
        schedule = cls.directory / "schedule.json"
        tilebeam("generate", "transformer", "--ops", 60, "--seed", 3, "-o", problem)
        tilebeam("solve", problem, "--max-rounds", 1, "-o", schedule)
        cls.evaluation = json.loads(tilebeam("evaluate", problem, schedule, "--json"))
        cls.bound = json.loads(tilebeam("bound", problem, "--json"))["bound"]
        cls.problem = json.loads(problem.read_text())
        cls.page = cls.directory / "page.html"
        tilebeam("render", problem, schedule, "--to", "html", "-o", cls.page)

    def setUp(self):
        self.browser.console()
        self.browser.prefer("light")
        self.browser.open(self.page)
        self.steps = self.evaluation["steps"]

    def tearDown(self):
        self.assertEqual(self.browser.console(), [])

    def text(self, selector):
        return unspaced(self.browser.run(
            "return document.querySelector(arguments[0]).textContent", selector))

    def hot_of(self, step):
        return {"ops": self.steps[step]["ops"], "boxes": [step], "rows": [step],
                "panel": f"Step {step}"}

    def hot(self):
        hot = self.browser.run(HOT)
        return hot | {"ops": sorted(hot["ops"], key=self.order_of)}

    def order_of(self, op):
        return next(s["ops"].index(op) for s in self.steps if op in s["ops"])

    def point_at(self, selector):
        self.browser.move(*self.browser.run(MIDDLE, selector))

    def point_at_time(self, time_):
        """Moves the mouse over the timeline, to this moment."""
        _, y = self.browser.run(MIDDLE, "#timeline")
        x = self.browser.run(
            "return document.querySelector('#timeline').getBoundingClientRect().x + timeline.x(arguments[0])",
            time_)
        self.browser.move(x, y)

    def middle_of(self, step):
        return sum(s["latency"] for s in self.steps[:step]) + self.steps[step]["latency"] / 2

    def test_console_errors_would_be_seen(self):
        broken = self.directory / "broken.html"
        broken.write_text("<link rel=icon href='data:,'><script>nothing.here();</script>")
        self.browser.open(broken)
        self.assertIn("nothing is not defined", str(self.browser.console()))

    def test_opens_by_itself(self):
        self.assertEqual(self.browser.run("return document.readyState"), "complete")
        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').length"), 0)
        self.assertEqual(self.text("h1"), 'Schedule of <!--<script>&"b".json')
        self.assertEqual(self.browser.run("return document.querySelectorAll('b').length"), 0)

    def test_summary_is_the_evaluators(self):
        total = self.evaluation["total_latency"]
        by_compute = sum(step["bound_by"] == "compute" for step in self.steps)
        expected = {
            "total_latency": shown(total),
            "bound": shown(self.bound),
            "gap": f"{100 * (total - self.bound) / total:.2f} %",
            "steps": str(len(self.steps)),
            "compute_bound": str(by_compute),
            "memory_bound": str(len(self.steps) - by_compute),
            "peak_fast_memory": str(max(step["peak_fast_memory"] for step in self.steps)),
            "loads": shown(sum(step["loads"] for step in self.steps)),
            "stores": shown(sum(step["stores"] for step in self.steps)),
        }
        for name, value in expected.items():
            self.assertEqual(self.text(f"#summary-{name}"), value, name)
        self.assertIn(f"fast memory {self.problem['fast_memory_capacity']},", self.text("#facts"))

    def test_table_of_steps_is_the_evaluators(self):
        rows = self.browser.run(ROWS, "#steps")
        self.assertGreater(len(rows), 10)
        for index, (row, step) in enumerate(zip(rows, self.steps)):
            expected = [
                str(index), listed(step["ops"]), ",".join(map(str, step["granularity"])),
                *(shown(step[key]) for key in
                  ("tiles", "k_steps", "latency", "compute_time", "memory_time")),
                step["bound_by"],
                *(shown(step[key]) for key in ("peak_fast_memory", "loads", "stores")),
                listed(step["retained"]), listed(step["stored"]),
            ]
            self.assertEqual([unspaced(cell) for cell in row], expected)

    def test_table_of_tensors_sums_up(self):
        steps, rows = self.steps, {}
        # All rows, and not those in sight alone.
        for row in self.browser.run("return tensorRows()"):
            rows[row["index"]] = row
        self.assertEqual(sum(r["loads"] for r in rows.values()), sum(s["loads"] for s in steps))
        self.assertEqual(sum(r["stores"] for r in rows.values()), sum(s["stores"] for s in steps))
        for row in self.browser.run(ROWS, "#tensors"):
            tensor = int(row[0].removeprefix("t"))
            width, height = self.problem["widths"][tensor], self.problem["heights"][tensor]
            self.assertEqual(row[1], f"{height}×{width}")
            self.assertEqual(unspaced(row[3]), str(width * height))
            self.assertEqual(unspaced(row[4]), shown(rows[tensor]["loads"]))
            self.assertEqual(row[7], str(sum(tensor in step["stored"] for step in steps)))

    def test_headers_sort(self):
        header = self.browser.find('#steps button[aria-label="Sort by latency"]')
        latencies = sorted(shown_value(step["latency"]) for step in self.steps)
        for expected in (latencies, latencies[::-1]):
            self.browser.click(header)
            rows = self.browser.run(ROWS, "#steps")
            self.assertEqual([float(unspaced(row[5])) for row in rows], expected[:len(rows)])

    def test_pointing_at_the_timeline_shows_the_ops(self):
        for step in (0, 1, 2, len(self.steps) // 2):
            self.point_at_time(self.middle_of(step))
            hot = self.hot()
            # A row far down is not in the document.
            self.assertEqual(hot | {"rows": [step]}, self.hot_of(step))
        self.point_at("h1")
        self.assertEqual(self.hot(), NOTHING)

    def test_pointing_at_a_row_shows_the_ops(self):
        for step in (2, 5):
            self.point_at(f'#steps tr[data-step="{step}"]')
            self.assertEqual(self.hot(), self.hot_of(step))

    def test_pointing_at_an_op_shows_its_step(self):
        self.browser.run("graphView.zoom(0.9)")
        for step in (1, 4):
            self.point_at(f'#graph .run[data-step="{step}"]')
            self.assertEqual(self.hot(), self.hot_of(step))

    def test_details_are_the_evaluators(self):
        self.point_at('#steps tr[data-step="3"]')
        panel, step = self.text("#details"), self.steps[3]
        self.assertIn(f"latency{shown(step['latency'])}share", panel)
        self.assertIn(f"peak{step['peak_fast_memory']} of", panel)
        self.assertIn(f"loads{shown(step['loads'])}stores{shown(step['stores'])}", panel)
        for op in step["ops"]:
            self.assertIn(f"op {op}{self.problem['op_types'][op]}", panel)

    def test_click_pins_and_escape_lets_go(self):
        self.point_at_time(self.middle_of(1))
        self.browser.press()
        self.point_at("h1")
        self.assertEqual(self.hot(), self.hot_of(1))
        self.browser.key(webdriver.ARROW_RIGHT)
        self.assertEqual(self.hot(), self.hot_of(2))
        self.browser.key(webdriver.ESCAPE)
        self.assertEqual(self.hot(), NOTHING)

    def test_dark_where_the_system_is(self):
        brightness = """return getComputedStyle(document.body).backgroundColor
            .match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)"""
        self.assertGreater(self.browser.run(brightness), 600)
        self.browser.prefer("dark")
        self.assertLess(self.browser.run(brightness), 150)

    def test_columns_fit_what_they_hold(self):
        size = 65536
        problem, schedule = self.directory / "large.json", self.directory / "large-schedule.json"
        problem.write_text(json.dumps({
            "widths": [size] * 3, "heights": [size] * 3, "op_types": ["MatMul"], "inputs": [[0, 1]],
            "outputs": [[2]], "base_costs": [123456789.125], "fast_memory_capacity": 10**12,
            "slow_memory_bandwidth": 7, "native_granularity": [size, size]}))
        schedule.write_text(json.dumps({
            "subgraphs": [[0]], "granularities": [[size] * 3], "tensors_to_retain": [[]]}))
        page = self.directory / "large.html"
        tilebeam("render", problem, schedule, "--to", "html", "-o", page)
        self.browser.open(page)
        cut = """return [...document.querySelectorAll('.scroller tbody tr:not(.gap) td')].filter(
            cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent);"""
        self.assertEqual(self.browser.run(cut), [])

    def test_a_part_of_a_schedule(self):
        problem, schedule = self.directory / "part.json", self.directory / "part-schedule.json"
        for path, content in zip((problem, schedule), chain_of(300)):
            path.write_text(json.dumps(content))
        page = self.directory / "part.html"
        tilebeam("render", problem, schedule, "--to", "html", "--steps", "100-149", "-o", page)
        self.browser.open(page)
        self.assertIn("Only steps 100 to 149 of 300 are shown", self.text("#part"))
        rows = self.browser.run(ROWS, "#steps")
        self.assertEqual([row[0] for row in rows[:2]], ["100", "101"])
        self.assertEqual(self.browser.run("return tensorRows().length"), 51)
        self.browser.run("selection.pin(7, null)")
        self.assertEqual(self.text("#details h2"), "Step 107")

    def test_thousands_of_steps_stay_usable(self):
        count = 5000
        problem, schedule = self.directory / "chain.json", self.directory / "chain-schedule.json"
        for path, content in zip((problem, schedule), chain_of(count)):
            path.write_text(json.dumps(content))
        page = self.directory / "chain.html"
        tilebeam("render", problem, schedule, "--to", "html", "-o", page)
        self.assertLess(page.stat().st_size, 10e6)
        begin = time.monotonic()
        self.browser.open(page)
        seconds = time.monotonic() - begin
        print(f"{count} steps: {page.stat().st_size / 1e6:.1f} MB, open in {seconds:.1f} s", file=sys.stderr)
        self.assertLess(seconds, 20)
        self.assertEqual(self.text("#summary-steps"), str(count))
        self.assertLess(self.browser.run("return document.querySelectorAll('tr').length"), 200)
        self.steps = json.loads(tilebeam("evaluate", problem, schedule, "--json"))["steps"]
        self.browser.run("timeline.zoom(0.001)")
        step = self.browser.run("return stepAt(timeline.time(400))")
        self.point_at_time(self.middle_of(step))
        self.browser.press()
        self.assertEqual(self.hot(), self.hot_of(step))


def shown_value(number):
    return float(shown(number))


if __name__ == "__main__":
    if not webdriver.available():
        print("skipped: needs chromium and chromedriver (scripts/setup --check)")
        sys.exit(77)
    TILEBEAM = sys.argv.pop(1)
    unittest.main()
