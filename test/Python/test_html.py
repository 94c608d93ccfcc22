#!/usr/bin/env python3
"""The page of a report, and the table for notebooks.

Requires: the package `shardir` (PYTHONPATH=build/python), and for the browser's tests playwright and
a Chromium; they are skipped where either is missing. The browser is offline.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import shardir
from shardir._html import report_page, report_table
from shardir._report import Report

PROGRAM = """
shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @main(%x: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>},
                %w: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
    -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x6xf32>, tensor<6x4xf32>) outs(%z : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
"""
SECTIONS = ["summary", "collectives", "matrix", "memory", "graph", "values"]
EVENTS = [{"name": "thread_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "rank 0"}},
          {"name": "main", "cat": "function", "ph": "X", "pid": 0, "tid": 0, "ts": 5.0, "dur": 9.0}]


def browser_path():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = shardir.compile(PROGRAM)
        cls.report = cls.program.report
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def page(self, name="r.html"):
        self.report.html(self.path(name), trace={"traceEvents": EVENTS})
        return self.path(name)

    def comparison(self):
        whole = shardir.compile(re.sub(r" \{shardir.placement = #shardir.placement<@m, \[\{\"tp\"\}, \{\}\]>\}", "", PROGRAM))
        shardir.compare(self.report, whole).html(self.path("c.html"))
        return self.path("c.html")


class PageText(Pages):
    def test_data_is_the_report(self):
        text = pathlib.Path(self.page()).read_text(encoding="utf-8")
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1]
        entry, = json.loads(data)
        self.assertEqual(entry.pop("title"), "program")
        self.assertEqual(entry.pop("trace"), EVENTS)
        self.assertEqual(entry, self.report.as_dict())

    def test_names_are_escaped(self):
        raw = {**self.report.as_dict(), "collectives": [dict(self.report.as_dict()["collectives"][0],
                                                             reason="</script><script>alert(1)</script>")]}
        self.assertNotIn("alert(1)</script>", report_page([Report(raw)]))
        self.assertNotIn("<script>", report_table(Report(raw)))

    def test_table(self):
        self.assertIn("all_reduce", report_table(self.report))
        self.assertIn("@m: dp=2, tp=2", self.report._repr_html_())

    def test_report_without_a_program(self):
        self.assertIn("[{", report_page([Report({})]))

    @unittest.skipUnless(shutil.which("shard-run"), "shard-run is not in PATH")
    def test_shard_run_prints_what_show_does(self):
        path = self.path("p.so")
        self.program.save(path)
        for name in ("arg0", "arg1", "result0"):
            said = subprocess.run(["shard-run", path, f"--show={name}"], capture_output=True, text=True, check=True)
            tensor = self.program._tensor(name)
            view = shardir._show.View(str(tensor), self.program.mesh, self.program.blocks(name), tensor.shape,
                                      tensor.placement)
            self.assertEqual(said.stdout, str(view) + "\n")


class PageInBrowser(Pages):
    @classmethod
    def setUpClass(cls):
        try:
            from playwright.sync_api import sync_playwright
        except ImportError:
            raise unittest.SkipTest("playwright is not installed") from None
        if not browser_path():
            raise unittest.SkipTest("there is no Chromium")
        super().setUpClass()
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = cls.playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def open(self, path, scheme="light", width=1280):
        """The page, which must load without an error and without asking for anything else."""
        context = self.browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, offline=True)
        self.addCleanup(context.close)
        page, problems = context.new_page(), []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: problems.append(request.url) if not request.url.startswith(("file:", "data:")) else None)
        page.goto("file://" + path)
        self.assertEqual(problems, [])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
        return page

    def test_sections_in_light_and_dark(self):
        path, colours = self.page(), set()
        for scheme in ("light", "dark"):
            page = self.open(path, scheme)
            found = page.locator("section").evaluate_all("all => all.map(s => s.id)")
            self.assertEqual(found, SECTIONS + ["timeline"])
            colours.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            # Text stands out against its background.
            contrast = page.evaluate("""() => {
              const light = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map((x) => { x /= 255;
                return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
              const back = light(getComputedStyle(document.querySelector("section")).backgroundColor);
              return Math.min(...["td", "h2", ".note"].map((q) => { const x = light(getComputedStyle(document.querySelector(q)).color);
                return (Math.max(x, back) + 0.05) / (Math.min(x, back) + 0.05); })); }""")
            self.assertGreater(contrast, 4.5)
        self.assertEqual(len(colours), 2)

    def test_phone(self):
        self.open(self.page(), width=390)
        self.open(self.comparison(), width=390)

    def test_who_sends_to_whom(self):
        page = self.open(self.page())
        cells = page.locator("#matrix rect").evaluate_all("all => all.map(r => r.dataset.tip)")
        # The sum over tp of 4x4 floats: 2 x 2 x 8 x 4 bytes / 2 between ranks of one row of the mesh.
        busy = [cell.split(":")[0] for cell in cells if not cell.endswith(": 0 B")]
        self.assertEqual(busy, ["rank 0 from rank 1", "rank 1 from rank 0", "rank 2 from rank 3", "rank 3 from rank 2"])

    def test_graph(self):
        page = self.open(self.page())
        shown = page.locator("#graph svg text.strong").all_text_contents()
        self.assertEqual(sorted(shown), ["all_reduce", "arg0", "arg1", "matmul", "result0"])
        self.assertEqual(page.locator("#graph svg > path").count(), 4)
        page.get_by_label("hide initial values").uncheck()
        self.assertEqual(page.locator("#graph svg text.strong").count(), 7)

    def test_filter_and_sort(self):
        page = self.open(self.page())
        rows = page.locator("#values tbody tr")
        self.assertEqual(rows.count(), len(self.report.values))
        page.get_by_label("Filter Values").fill("linalg matmul")
        self.assertEqual(rows.count(), 1)
        page.get_by_label("Filter Values").fill("")
        page.locator("#values th").filter(has_text="bytes").get_by_role("button").click()
        first = rows.first.inner_text()
        largest = max(v.local_bytes for v in self.report.values)
        self.assertIn(f"{largest} B", first)

    def test_comparison(self):
        page = self.open(self.comparison(), "dark")
        found = page.locator("section").evaluate_all("all => all.map(s => s.id)")
        self.assertEqual(found, ["comparison"] + SECTIONS)
        self.assertEqual(page.locator("#summary .sides > div").count(), 2)

    def test_large_program(self):
        values = [dict(self.report.as_dict()["values"][0], name="", op="arith.addf", operands=[i - 1] if i else [],
                       alive_bytes=i) for i in range(3000)]
        Report({**self.report.as_dict(), "values": values}).html(self.path("l.html"))
        page = self.open(self.path("l.html"))
        self.assertIn("Values 1 to 200 of 3,000", page.locator("#graph .note").inner_text())
        page.get_by_role("button", name="Later").click()
        self.assertIn("Values 201 to 400", page.locator("#graph .note").inner_text())
        self.assertEqual(page.locator("#values tbody tr").count(), 200)
        page.get_by_role("button", name="Show all 3,000").click()
        self.assertEqual(page.locator("#values tbody tr").count(), 3000)

    def test_empty_report(self):
        Report({}).html(self.path("e.html"))
        self.open(self.path("e.html"))


del Pages
if __name__ == "__main__":
    unittest.main()
