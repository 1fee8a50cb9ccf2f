"""`stallscope law`: a sweep, the law fitted to it, and what it says."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, SOURCE  # noqa: E402

EXAMPLE = SOURCE / "tests" / "browser" / "law.json"
# Three networks whose steps take a millisecond, over loopback or an unshaped cable: seconds in all.
TINY = ["law", "sweep", "--buckets", "tensor,25MiB,model", "--links", "unshaped", "--rounds", "2", "--tolerance", "90%",
        "--batch", "2", "--image-size", "8", "--no-store"]
NETWORKS = "mlp:layers=2,width=32,mlp:layers=6,width=32,mlp:layers=12,width=16"


class Law(CommandTest):
    def failed(self, *arguments, code=2):
        result = self.run_command(["law", *arguments])
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stderr

    def test_mistakes_get_a_sentence_that_names_the_flag(self):
        self.assertIn("--links: '1Gbti'", self.failed("sweep", "--links", "1Gbti", "--dry-run"))
        self.assertIn("--ranks: '1'", self.failed("sweep", "--ranks", "1", "--dry-run"))
        self.assertIn("--bucket 'some'", self.failed("sweep", "--buckets", "some", "--dry-run"))
        self.assertIn("did you mean", self.failed("sweep", "--networks", "resnet19", "--dry-run"))
        self.assertIn("--rounds 1", self.failed("sweep", "--rounds", "1", "--dry-run"))
        self.assertIn("--again-above '5'", self.failed("sweep", "--again-above", "5", "--dry-run"))
        self.assertIn("no sweep", self.failed("fit", "nowhere"))
        self.assertIn("store holds no law", self.failed("show", "--store", "empty", code=1))

    def test_the_plan_keeps_within_its_time(self):
        plans = []
        for limit in ([], ["--max-time", "10m"]):
            result = self.run_command(["law", "sweep", "--dry-run", *limit])
            self.assertEqual(result.returncode, 0, result.stderr)
            plans.append(result.stdout.splitlines())
        self.assertIn("216 points in 72 launches", plans[0][-2])
        self.assertNotIn(" 0 left out", plans[1][-2])
        self.assertIn("known less well than to 5 % of their step again", plans[1][-1])
        seconds = [float(line.split()[-2]) for line in plans[1] if line.endswith(" s")]
        self.assertLessEqual(sum(seconds), 0.75 * 600 + 5)

    def test_a_sweep_becomes_a_law_and_goes_on_where_it_ended(self):
        first = self.run_command([*TINY, "--networks", "mlp:layers=2,width=32", "--out", "sweep"])
        # One network is no law, but its rounds are kept.
        self.assertEqual(first.returncode, 1, first.stderr)
        self.assertIn("too few for a law", first.stderr)
        lines = (self.folder / "sweep" / "sweep.jsonl").read_text().splitlines()
        second = self.run_command([*TINY, "--networks", NETWORKS, "--resume", "sweep"])
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual((self.folder / "sweep" / "sweep.jsonl").read_text().splitlines()[: len(lines)], lines)
        law = json.loads((self.folder / "sweep" / "law.json").read_text())
        self.assertEqual(len(law["networks"]), 3)
        self.assertEqual(len({(p["network"], p["bucket"]) for p in law["points"]}), len(law["points"]))
        self.assertGreaterEqual(len(law["points"]), 7)
        plan = [*TINY, "--networks", NETWORKS, "--resume", "sweep", "--dry-run"]
        # No stall is known to 0.0001 % of a step; points that were measured then have more rounds.
        self.assertIn("9 points in 9 launches", self.run_command([*plan, "--again-above", "0.0001%"]).stdout)
        self.assertNotIn("9 points in 9 launches", self.run_command(plan).stdout)
        shown = self.run_command(["law", "show", "sweep"])
        self.assertIn("message_s", shown.stdout)
        again = self.run_command(["law", "fit", "sweep", "--no-store", "--json", "-"])
        self.assertEqual(json.loads(again.stdout)["coefficients"], law["coefficients"])

    def test_what_is_poorly_known_is_visited_again_while_there_is_time(self):
        one = ["--networks", "mlp:layers=2,width=32", "--buckets", "model", "--again-above", "0.0001%", "--max-time", "20s"]
        result = self.run_command([*TINY, *one, "--out", "sweep"])
        self.assertIn("known less well than to 0.0001 % of their step are visited again", result.stderr)
        rounds = [json.loads(line) for line in (self.folder / "sweep" / "sweep.jsonl").read_text().splitlines()]
        indices = [line["round"] for line in rounds if "round" in line]
        self.assertEqual(indices, list(range(len(indices))), "a visit goes on where the last one ended")
        self.assertGreaterEqual(result.stderr.count(" rounds, "), 2, result.stderr)

    def test_reports_show_every_point(self):
        result = self.run_command(["report", str(EXAMPLE), "--csv", "law.csv", "--markdown", "law.md"])
        self.assertEqual(result.returncode, 0, result.stderr)
        law = json.loads(EXAMPLE.read_text())
        csv = (self.folder / "law.csv").read_text()
        for point in law["points"]:
            self.assertIn(point["network"].split(",")[0], csv)
        self.assertIn("Macroscopic form", (self.folder / "law.md").read_text())
        text = self.run_command(["report", str(EXAMPLE)]).stdout
        self.assertIn(" ".join(law["answer"].split()[:6]), " ".join(text.split()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
