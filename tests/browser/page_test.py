"""The page of `stallscope report --html` in a real browser: what it shows, that it fits, that nothing foreign in it runs."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from browser import GOLDEN, NODE, SOURCE, PageTest, packages, require_browser, screenshots  # noqa: E402
from made_run import MadeRun  # noqa: E402

RUNGS = ("solo", "crowd", "node", "cluster", "warm", "cold")
# A trap in every text: whichever runs leaves its mark on the document.
TRAP = "\"'><script>document.documentElement.id='trapped'</script><img src=x onerror=\"document.documentElement.id='trapped'\">"
TRAPPED = "() => document.documentElement.id"


def luminance(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    """As WCAG 2 defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def fixed_fields():
    """The names of fields whose words a schema fixes: no markup can come in there."""
    names = set()

    def walk(rule):
        if isinstance(rule, dict):
            for name, inner in rule.get("properties", {}).items():
                if {"enum", "const", "pattern"} & set(inner) or {"enum", "pattern"} & set(inner.get("items", {})):
                    names.add(name)
            for inner in rule.values():
                walk(inner)
        elif isinstance(rule, list):
            for inner in rule:
                walk(inner)

    for schema in (SOURCE / "docs" / "schema").glob("*.json"):
        walk(json.loads(schema.read_text()))
    return names


def with_traps(value, fixed, key=""):
    """A document whose free texts all hold markup."""
    if isinstance(value, dict):
        return {name: with_traps(inner, fixed, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_traps(inner, fixed, key) for inner in value]
    return value + TRAP if isinstance(value, str) and key not in fixed else value


class Shown(PageTest):
    def test_the_browser_shows_the_verdict_every_rung_and_every_finding(self):
        document = GOLDEN / "profile-full.json"
        path = self.page(document)
        # innerText leaves out what is folded.
        unfold = "() => { for (const d of document.querySelectorAll('details')) d.open = true; return document.body.innerText }"
        text = self.look({"file": path, "ask": [unfold]})[0]["values"][0].replace("\u00a0", " ")
        # The largest stall leads.
        self.assertRegex(text, r"32 % of a step waits for the network \([^)]*\); 13 % of a step waits for the interconnect")
        for finding in json.loads(document.read_text())["findings"]:
            self.assertIn(finding["what"], text)
            self.assertIn(finding["advice"], text)
        for rung in RUNGS:
            self.assertRegex(text, rf"\n{rung}\s")

    def test_every_kind_of_document_renders_without_an_error_or_a_request_and_is_accessible(self):
        kinds = self.documents()
        folder = MadeRun().write(self.folder / "run", GOLDEN / "profile-full.json")
        kinds["run"] = folder
        jobs = []
        for name, document in kinds.items():
            path = self.page(document, name=f"{name}.html")
            self.assertLess(path.stat().st_size, 1_500_000, name)
            # axe needs a page without a policy, so it looks at one of its own.
            jobs.append({"file": path, "width": 1440, "shot": str(screenshots() / f"{name}-1440-light.png")})
            jobs.append({"file": path, "width": 390, "scheme": "dark", "axe": True, "shot": str(screenshots() / f"{name}-390-dark.png")})
            if name in ("run", "recommendation", "survey"):  # between them every part of the page, in the other colours
                jobs.append({"file": path, "width": 1440, "axe": True})
        for job, answer in zip(jobs, self.look(*jobs)):
            with self.subTest(page=pathlib.Path(job["file"]).name, width=job["width"], axe=job.get("axe", False)):
                self.assertEqual(answer["console"], [])
                self.assertEqual(answer["requests"], [])
                self.assertEqual(answer.get("violations", []), [])
                self.assertEqual(answer["overflow"]["wide"], [])
                self.assertLessEqual(answer["overflow"]["scroll"], job["width"])

    def test_several_documents_stand_on_one_page(self):
        path = self.page(GOLDEN / "profile-full.json", GOLDEN / "machine.json")
        answer = self.look({"file": path, "ask": ["() => [...document.querySelectorAll('article h2')].map(e => e.textContent)"]})[0]
        self.assertEqual(answer["values"][0], ["resnet18 on 2 emulated machines with 1 device each", "amber (p4d.24xlarge)"])

    def test_the_scheme_follows_the_reader(self):
        path = self.page(GOLDEN / "profile.json")
        ground = "() => getComputedStyle(document.body).backgroundColor"
        light, dark = self.look({"file": path, "ask": [ground]}, {"file": path, "scheme": "dark", "ask": [ground]})
        self.assertEqual(light["values"], ["rgb(255, 255, 255)"])
        self.assertEqual(dark["values"], ["rgb(18, 22, 28)"])

    def test_it_prints_on_paper(self):
        paper = self.folder / "page.pdf"
        self.look({"file": self.page(GOLDEN / "profile-full.json"), "pdf": str(paper)})
        self.assertEqual(paper.read_bytes()[:5], b"%PDF-")

    def test_without_scripts_the_verdict_is_there_in_words(self):
        page = self.page(GOLDEN / "profile-full.json").read_text()
        inside = re.search(r"<noscript>(.*?)</noscript>", page, re.DOTALL).group(1)
        self.assertIn("32 % of a step waits for the network", inside)


class Tables(PageTest):
    ROWS = "() => [...document.querySelectorAll('section table')].find(t => t.caption.textContent === 'The stall ladder')"

    def test_a_table_sorts_by_the_number_not_by_its_text(self):
        path = self.page(GOLDEN / "profile-full.json")
        click = f"() => {{ const t = ({self.ROWS})(); t.querySelectorAll('.sort')[1].click(); t.querySelectorAll('.sort')[1].click(); return [...t.querySelectorAll('tbody th')].map(e => e.textContent) }}"
        answer = self.look({"file": path, "ask": [click, f"() => ({self.ROWS})().querySelectorAll('th')[1].getAttribute('aria-sort')"]})[0]
        self.assertEqual(answer["values"][0], ["cold", "warm", "cluster", "node", "crowd", "solo"])
        self.assertEqual(answer["values"][1], "descending")

    def test_the_csv_of_a_table_holds_the_documents_own_numbers(self):
        path = self.page(GOLDEN / "profile-full.json")
        button = 'button[aria-label="Download the table The stall ladder as CSV"]'
        answer = self.look({"file": path, "download": button})[0]
        lines = answer["download"].splitlines()
        self.assertTrue(lines[0].startswith("rung,step time [s],"), lines[0])
        self.assertTrue(lines[4].startswith("cluster,0.56,"), lines[4])

    def test_the_keyboard_reaches_the_skip_link_first(self):
        answer = self.look({"file": self.page(GOLDEN / "profile-full.json"), "keys": ["Tab"]})[0]
        self.assertIn("Skip to the numbers", answer["focus"])


class Fits(PageTest):
    def test_nothing_runs_over_the_edge_of_any_screen(self):
        path = self.page(GOLDEN / "profile-full.json")
        widths = (360, 840, 1280, 2560)
        for width, answer in zip(widths, self.look(*({"file": path, "width": width} for width in widths))):
            with self.subTest(width=width):
                self.assertLessEqual(answer["overflow"]["scroll"], width)
                self.assertEqual(answer["overflow"]["wide"], [])

    def test_long_names_wrap(self):
        document = json.loads((GOLDEN / "profile-full.json").read_text())
        document["workload"]["model"] = "m" * 300
        document["workload"]["dataset"]["path"] = "/" + "d" * 300
        document["host"]["name"] = document["findings"][0]["what"] = "w" * 300
        answer = self.look({"file": self.page(self.write("long.json", document)), "width": 390})[0]
        self.assertLessEqual(answer["overflow"]["scroll"], 390)
        self.assertEqual(answer["overflow"]["wide"], [])


class Safe(PageTest):
    def hostile(self):
        pages = []
        for name, document in self.documents().items():
            trapped = with_traps(json.loads(document.read_text()), fixed_fields())
            if name == "profile":
                del trapped["conditions"]["crowd"]
                trapped["absent"] = [{"condition": "crowd", "reason": TRAP}]
            pages.append(self.page(self.write(f"hostile-{name}.json", trapped), name=f"hostile-{name}.html"))
        return pages

    def test_a_model_named_as_markup_stays_text(self):
        name = "<img src=x onerror=alert(1)>"
        document = json.loads((GOLDEN / "profile-full.json").read_text())
        document["workload"]["model"] = name
        asks = ["() => document.querySelector('h1').textContent", "() => document.querySelectorAll('img').length", "() => document.title"]
        answer = self.look({"file": self.page(self.write("named.json", document)), "ask": asks})[0]
        self.assertTrue(answer["values"][0].startswith(name))
        self.assertEqual(answer["values"][1], 0)
        self.assertIn(name, answer["values"][2])
        self.assertEqual(answer["console"], [])

    def test_the_trap_would_be_seen(self):
        path = self.folder / "bait.html"
        path.write_text(f"<!doctype html><main><p title=\"{TRAP}</p></main>")
        answer = self.look({"file": path, "bare": True, "drawn": 300, "ask": [TRAPPED]})[0]
        self.assertEqual(answer["values"], ["trapped"])

    def test_hostile_documents_run_nothing_even_where_no_policy_stands_in_the_way(self):
        jobs = []
        for path in self.hostile():
            jobs.append({"file": path, "ask": [TRAPPED, "() => document.querySelectorAll('img, body script').length", "() => document.body.textContent.split('<script>').length"]})
            bare = path.with_name(f"bare-{path.name}")
            bare.write_text(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", path.read_text()))
            self.assertNotIn("Content-Security-Policy", bare.read_text())
            jobs.append({"file": bare, "ask": [TRAPPED, "() => document.querySelectorAll('img, body script').length", "() => document.body.textContent.split('<script>').length"]})
        for job, answer in zip(jobs, self.look(*jobs)):
            with self.subTest(page=pathlib.Path(job["file"]).name):
                mark, foreign, shown = answer["values"]
                self.assertEqual(mark, "")
                # The page's own two: its data and its program.
                self.assertEqual(foreign, 2)
                self.assertGreater(shown, 5)
                self.assertEqual(answer["console"], [])

    def test_the_policy_alone_would_hold_too(self):
        path = self.page(GOLDEN / "profile.json")
        path.write_text(path.read_text().replace('<div id="app">', TRAP[3:] + '<div id="app">'))
        answer = self.look({"file": path, "drawn": 300, "ask": [TRAPPED, "() => document.querySelectorAll('img').length"]})[0]
        self.assertEqual(answer["values"], ["", 1])


class Readable(PageTest):
    def schemes(self):
        style = (SOURCE / "web" / "src" / "style.css").read_text()
        blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
        light, dark = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]
        return {"light": light, "dark": {**light, **dark}}

    def test_text_has_the_contrast_of_wcag_aa(self):
        for name, colors in self.schemes().items():
            for text in ("ink", "soft", "accent", "problem", "warning", "info"):
                for ground in ("page", "card"):
                    self.assertGreaterEqual(contrast(colors[text], colors[ground]), 4.5, f"{name}: {text} on {ground}")
            for segment in ("compute", "interconnect", "network", "prep", "fetch", "forward", "optimizer"):
                self.assertGreaterEqual(contrast(colors[segment], colors[f"on-{segment}"]), 4.5, f"{name}: {segment}")

    def test_neighbours_in_a_bar_differ_in_lightness(self):
        bars = (
            ("compute", "interconnect", "network", "prep", "fetch"),
            # data wait, copy, forward, backward, exposed, optimizer
            ("fetch", "prep", "forward", "compute", "network", "optimizer"),
        )
        for name, colors in self.schemes().items():
            for bar in bars:
                for left, right in zip(bar, bar[1:]):
                    self.assertGreaterEqual(contrast(colors[left], colors[right]), 1.5, f"{name}: {left} and {right}")


class Written(PageTest):
    def test_the_program_of_the_page_has_no_type_error(self):
        folder = packages()
        # The sources look for their packages above them.
        command = [NODE, str(folder / "node_modules/typescript/bin/tsc"), "-p", str(SOURCE / "web"), "--baseUrl", str(folder / "node_modules")]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_the_lock_file_names_no_registry(self):
        text = (SOURCE / "web" / "package-lock.json").read_text()
        self.assertNotIn('"resolved"', text)
        self.assertNotIn("registry", text)


if __name__ == "__main__":
    require_browser()
    unittest.main(verbosity=2)
