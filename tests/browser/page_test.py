"""The page of `stallscope report --html` in a real browser: what it shows, that it fits, that nothing in it runs."""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import SOURCE, CommandTest, skip_all  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
GOLDEN = SOURCE / "tests" / "golden"
RUNGS = ("solo", "crowd", "node", "cluster", "warm", "cold")
# A trap in every text: whichever runs leaves its mark on the document.
TRAP = "\"'><script>document.documentElement.id='trapped'</script><img src=x onerror=\"document.documentElement.id='trapped'\">"
# Headless Chromium has no windows narrower than 500 pixels, so the page is put into a frame.
FRAME = """<!doctype html><body style="margin:0"><iframe id="f" src="{page}" style="border:0;width:{width}px;height:{height}px">
</iframe><script>
document.getElementById('f').addEventListener('load', e => {{
  const d = e.target.contentDocument, r = d.documentElement;
  const wide = [...d.querySelectorAll('body *')].filter(x => !x.closest('.scroll, .skip, thead, svg') &&
    x.getBoundingClientRect().right > r.clientWidth + 1).map(x => x.outerHTML.slice(0, 80));
  const result = {{client: r.clientWidth, scroll: r.scrollWidth, wide,
                   style: e.target.contentWindow.getComputedStyle(d.body).backgroundColor}};
  document.title = JSON.stringify(result);
}});
</script>"""


def luminance(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    """As WCAG 2 defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def with_traps(value, key=""):
    """A document whose free texts all hold markup."""
    fixed = {"schema", "condition", "severity", "kind", "cache", "stopped_by", "created"}
    if isinstance(value, dict):
        return {name: with_traps(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_traps(inner, key) for inner in value]
    return value + TRAP if isinstance(value, str) and key not in fixed else value


class Page(CommandTest):
    def page(self, document):
        """The page of a document, beside the test's other files."""
        path = self.folder / "page.html"
        result = self.run_command(["report", str(document), "--html", str(path), "--force"])
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def chromium(self, *arguments):
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        command += [f"--user-data-dir={self.folder / 'browser'}", "--virtual-time-budget=5000", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=self.environment)

    def dom(self, path, *arguments):
        result = self.chromium("--dump-dom", *arguments, path.as_uri())
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def screenshot(self, path, name, width, height, *arguments):
        """Kept in STALLSCOPE_SCREENSHOTS, where that is a folder, for people to look at."""
        folder = pathlib.Path(os.environ.get("STALLSCOPE_SCREENSHOTS") or self.folder)
        picture = folder / f"{name}.png"
        result = self.chromium(f"--screenshot={picture}", f"--window-size={width},{height}", *arguments, path.as_uri())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        return picture

    def framed(self, path, width, height=6000):
        frame = self.folder / "frame.html"
        frame.write_text(FRAME.format(page=path.name, width=width, height=height))
        return frame

    def layout(self, path, width, *arguments):
        dom = self.dom(self.framed(path, width), "--allow-file-access-from-files", *arguments)
        title = re.search(r"<title>(\{.*?\})</title>", dom, re.DOTALL)
        self.assertIsNotNone(title, dom[:500])
        return json.loads(html.unescape(title.group(1)))


class Shown(Page):
    def test_the_browser_shows_the_verdict_every_rung_and_every_finding(self):
        document = GOLDEN / "profile-full.json"
        text = html.unescape(re.sub(r"<[^>]+>", "", self.dom(self.page(document)))).replace("\u00a0", " ")
        # The largest stall leads.
        self.assertRegex(text, r"32 % of a step waits for the network \([^)]*\); 13 % of a step waits for the interconnect")
        for finding in json.loads(document.read_text())["findings"]:
            self.assertIn(finding["what"], text)
        for rung in RUNGS:
            self.assertRegex(text, rf"\n{rung} ")

    def test_the_browser_reads_the_markup_as_it_was_written(self):
        # A parser that had to repair nesting would have moved or doubled tags.
        path = self.page(GOLDEN / "profile-full.json")
        dom, written = self.dom(path), path.read_text()
        for tag in ("section", "table", "tr", "td", "li", "svg", "rect", "text", "div", "figure", "dl"):
            self.assertEqual(dom.count(f"<{tag} ") + dom.count(f"<{tag}>"), written.count(f"<{tag} ") + written.count(f"<{tag}>"), tag)

    def test_screenshots_in_light_and_dark_wide_and_narrow(self):
        for name in ("profile-full", "profile"):
            path = self.page(GOLDEN / f"{name}.json")
            light = self.screenshot(path, f"{name}-1280-light", 1280, 4300).read_bytes()
            dark = self.screenshot(path, f"{name}-1280-dark", 1280, 4300, "--force-dark-mode").read_bytes()
            self.assertNotEqual(light, dark)
            frame = self.framed(path, 390, 7600)
            self.screenshot(frame, f"{name}-390-light", 500, 7600)
            self.screenshot(frame, f"{name}-390-dark", 500, 7600, "--force-dark-mode")

    def test_the_scheme_follows_the_reader(self):
        path = self.page(GOLDEN / "profile.json")
        self.assertEqual(self.layout(path, 800)["style"], "rgb(255, 255, 255)")
        self.assertEqual(self.layout(path, 800, "--force-dark-mode")["style"], "rgb(18, 22, 28)")

    def test_it_prints_on_paper(self):
        paper = self.folder / "page.pdf"
        result = self.chromium(f"--print-to-pdf={paper}", self.page(GOLDEN / "profile-full.json").as_uri())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(paper.read_bytes()[:5], b"%PDF-")


class Fits(Page):
    def test_nothing_runs_over_the_edge_of_any_screen(self):
        for name in ("profile", "profile-full"):
            path = self.page(GOLDEN / f"{name}.json")
            for width in (360, 390, 840, 1280, 2560):
                with self.subTest(document=name, width=width):
                    layout = self.layout(path, width)
                    self.assertEqual(layout["client"], width)
                    self.assertLessEqual(layout["scroll"], width)
                    self.assertEqual(layout["wide"], [])

    def test_long_names_wrap(self):
        document = json.loads((GOLDEN / "profile-full.json").read_text())
        document["workload"]["model"] = "m" * 300
        document["workload"]["dataset"]["path"] = "/" + "d" * 300
        document["host"]["name"] = document["findings"][0]["what"] = "w" * 300
        (self.folder / "long.json").write_text(json.dumps(document))
        layout = self.layout(self.page(self.folder / "long.json"), 390)
        self.assertLessEqual(layout["scroll"], 390)
        self.assertEqual(layout["wide"], [])


class Safe(Page):
    def hostile(self):
        document = with_traps(json.loads((GOLDEN / "profile-full.json").read_text()))
        del document["conditions"]["crowd"]
        document["absent"] = [{"condition": "crowd", "reason": TRAP}]
        (self.folder / "hostile.json").write_text(json.dumps(document))
        return self.page(self.folder / "hostile.json")

    def test_the_trap_would_be_seen(self):
        path = self.folder / "bait.html"
        path.write_text(f"<!doctype html><p title=\"{TRAP}</p>")
        self.assertIn('id="trapped"', self.dom(path))

    def test_a_hostile_document_runs_nothing(self):
        path = self.hostile()
        dom = self.dom(path)
        self.assertGreater(dom.count("&lt;script&gt;"), 20)
        for tag in ('id="trapped"', "<script", "<img"):
            self.assertNotIn(tag, dom)

    def test_nor_where_the_policy_did_not_stand_in_the_way(self):
        path = self.hostile()
        bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", path.read_text())
        self.assertNotIn("Content-Security-Policy", bare)
        path.write_text(bare)
        self.assertNotIn('id="trapped"', self.dom(path))

    def test_the_policy_alone_would_hold_too(self):
        path = self.page(GOLDEN / "profile.json")
        path.write_text(path.read_text().replace("</main>", TRAP + "</main>"))
        dom = self.dom(path)
        self.assertIn("<script", dom)
        self.assertNotIn('id="trapped"', dom)


class Readable(Page):
    def schemes(self):
        page = self.page(GOLDEN / "profile.json").read_text()
        blocks = re.findall(r":root \{(.*?)\}", page, re.DOTALL)
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


if __name__ == "__main__":
    if not CHROMIUM:
        skip_all("no chromium: apt-get install chromium")
    unittest.main(verbosity=2)
