"""The sliders of a recommendation's page: what they choose is what the command chooses."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import RECOMMEND, PageTest, require_browser, screenshots  # noqa: E402

SET = """() => {{
  const set = (id, value) => {{
    const field = document.getElementById(id), box = document.getElementById(id + '-on');
    if (value === null) {{ if (box.checked) box.click(); return; }}
    field.value = value;
    field.dispatchEvent(new Event('input'));
  }};
  set('deadline', {deadline});
  set('budget', {budget});
  return Number(document.getElementById('choice').dataset.choice);
}}"""
CONFIDENCE = """() => {{
  const slider = document.getElementById('confidence');
  slider.value = {place};
  slider.dispatchEvent(new Event('input'));
  return Number(document.getElementById('choice').dataset.choice);
}}"""


def identity(candidate):
    return [candidate[field] for field in ("provider", "instance", "region", "market", "nodes", "batch_per_device")]


class Choice(PageTest):
    def recommend(self, *flags):
        path = self.folder / "answer.json"
        result = self.run_command([*RECOMMEND, *flags, "--json", str(path), "--quiet"])
        document = json.loads(path.read_text())
        self.assertEqual(result.returncode, 0 if "choice" in document else 3, result.stderr)
        return document

    def chosen(self, *flags):
        document = self.recommend(*flags)
        return identity(document["choice"]) if "choice" in document else None

    def test_the_page_chooses_as_the_command_does(self):
        document = self.recommend("--deadline", "24h")
        steps = sorted({*document["question"]["confidence_steps"], document["question"]["confidence"]})
        path = self.page(self.write("recommendation.json", document))
        deadlines = (0.3, 1, 4, 24, 100)
        budgets = (100, 150, 1000)
        asks = [SET.format(deadline=hours, budget="null") for hours in deadlines]
        asks += [SET.format(deadline="null", budget=usd) for usd in budgets]
        asks += [SET.format(deadline=15, budget="null"), CONFIDENCE.format(place=steps.index(0.99))]
        answer = self.look({"file": path, "ask": asks, "width": 1440, "shot": str(screenshots() / "recommendation-moved.png")})[0]
        self.assertEqual(answer["console"], [])
        picked = [identity(document["candidates"][place]) if place >= 0 else None for place in answer["values"]]
        wanted = [self.chosen("--deadline", f"{hours}h") for hours in deadlines]
        wanted += [self.chosen("--budget", str(usd)) for usd in budgets]
        wanted += [self.chosen("--deadline", "15h"), self.chosen("--deadline", "15h", "--confidence", "0.99")]
        self.assertEqual(picked, wanted)
        # Limits that all lead to one machine would show nothing.
        self.assertGreaterEqual(len({str(one) for one in wanted}), 4)

    def test_arrow_keys_go_from_candidate_to_candidate(self):
        path = self.page(self.write("recommendation.json", self.recommend("--deadline", "24h")))
        focus = "() => { document.querySelector('.plot[tabindex]').focus(); return document.querySelector('.card h4').textContent }"
        after = "() => document.querySelector('.card h4').textContent"
        answer = self.look({"file": path, "ask": [focus], "keys": ["ArrowRight", "ArrowRight"], "after": after})[0]
        self.assertTrue(answer["values"][0].startswith("The choice: "))
        self.assertFalse(answer["after"].startswith("The choice: "))


if __name__ == "__main__":
    require_browser()
    unittest.main(verbosity=2)
