"""The page of a law: every point is drawn, what cannot be drawn is said, and the law stands beside the simpler form."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import LAW, PageTest, require_browser  # noqa: E402

SECTION = "[...document.querySelectorAll('section')].find(s => s.querySelector('h3').textContent.startsWith('{}'))"
DOTS = "() => " + SECTION + ".querySelectorAll('circle').length"
TEXT = "() => " + SECTION + ".innerText"
PICTURES = "() => [..." + SECTION + ".querySelectorAll('svg[role=img]')].map(s => s.getAttribute('aria-label'))"
CHOOSE = """() => {{
  const select = document.getElementById('law-parts');
  select.value = '{}';
  select.dispatchEvent(new Event('change'));
}}"""


class Law(PageTest):
    def answers(self, document, asks):
        answer = self.look({"file": self.page(document), "width": 1440, "ask": asks})[0]
        self.assertEqual(answer["console"], [])
        return answer["values"]

    def test_points_layers_errors_and_parts_are_drawn(self):
        law = json.loads(LAW.read_text())
        choice = "buckets of 25MiB, 200Mbit, 2 ranks"
        dots, depth, slopes, scatter, errors, _, parts = self.answers(
            LAW,
            [
                DOTS.format("Stall against layers"),
                PICTURES.format("Stall against layers"),
                TEXT.format("Stall against layers"),
                DOTS.format("Measured"),
                PICTURES.format("How far off"),
                CHOOSE.format(choice),
                PICTURES.format("What a stall"),
            ],
        )
        self.assertEqual(dots, sum(len(one["rows"]) for one in law["depth"]))
        # One picture for each link, with the three bucketings in it.
        links = {one["link"] for one in law["depth"]}
        self.assertEqual(len(depth), len(links))
        for words in ("one all-reduce per tensor", "buckets of 25MiB", "one all-reduce per model"):
            self.assertIn(words, slopes)
        flat = sum(not one["distinguishable"] for one in law["depth"])
        self.assertGreater(flat, 0)
        self.assertEqual(slopes.count("indistinguishable from zero"), flat)
        self.assertEqual(scatter, sum(point["stall_s"]["mean"] > 0 for point in law["points"]))
        self.assertIn("all points, the law: median 2.1 %", errors[0])
        self.assertIn("all points, layers and bytes alone: median 12.6 %", errors[0])
        chosen = [p for p in law["points"] if (p["bucket"], p["link"]) == ("25MiB", "200Mbit")]
        self.assertEqual(len(parts), 1)
        for point in chosen:
            self.assertIn(point["network"], parts[0])

    def test_points_without_a_stall_are_counted(self):
        [text] = self.answers(LAW, [TEXT.format("Measured")])
        self.assertIn("1 of 63 points have no stall to draw", text)

    def test_a_sweep_of_few_networks_has_a_page_too(self):
        law = json.loads(LAW.read_text())
        law.update({"depth": [], "macroscopic": [], "statements": [], "points": [], "errors": {}})
        law.pop("extrapolation")
        [titles] = self.answers(self.write("few.json", law), ["() => [...document.querySelectorAll('h3')].map(e => e.textContent)"])
        self.assertNotIn("Measured, and by the law", titles)
        self.assertIn("Every number", titles)


if __name__ == "__main__":
    require_browser()
    unittest.main(verbosity=2)
