"""`stallscope survey`: machines by networks."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import jsonschema  # noqa: E402
from support import CommandTest, SOURCE  # noqa: E402

SCHEMA = json.loads((SOURCE / "docs/schema/survey-1.schema.json").read_text())
PAPER = ["--models", "alexnet,resnet18,resnet50,vgg11,bert_large", "--instances",
         "p2.xlarge,p2.8xlarge,p2.16xlarge,p3.2xlarge,p3.8xlarge,p3.16xlarge"]


class Survey(CommandTest):
    def document(self, *arguments):
        result = self.run_command(["survey", *arguments, "--no-store", "--json", "-"])
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        jsonschema.validate(document, SCHEMA)
        return document

    def test_every_machine_has_every_network_or_a_reason(self):
        document = self.document(*PAPER)
        have = {(c["instance"], c["model"], c["nodes"]) for c in document["cells"]}
        lack = {(a["instance"], a["model"], a["nodes"]) for a in document["absent"]}
        self.assertEqual(len(have | lack), 6 * 5 * 2)
        self.assertFalse(have & lack)
        for cell in document["cells"]:
            parts = sum(stall["seconds"]["mean"] for stall in cell["stalls"].values())
            self.assertAlmostEqual(parts / cell["step_time_s"]["mean"], 1, places=6)
            self.assertEqual("network" in cell["stalls"], cell["nodes"] > 1)
            self.assertEqual(cell["basis"], "predicted")

    def test_the_best_is_one_and_the_others_are_more(self):
        document = self.document(*PAPER)
        for model in document["workload"]["models"]:
            cells = [c for c in document["cells"] if c["model"] == model]
            self.assertEqual(min(c["relative_time"] for c in cells), 1)
            self.assertEqual(min(c["relative_cost"] for c in cells), 1)

    def test_what_the_numbers_say_is_said(self):
        machines = {m["instance"]: m for m in self.document(*PAPER)["machines"]}
        self.assertIn("sliced NVLink costs", " ".join(machines["p3.8xlarge"]["shortcomings"]))
        self.assertIn("Gbit", " ".join(machines["p3.16xlarge"]["shortcomings"]))
        cheapest = [m for m in machines.values() if any("cheapest" in a for a in m["advantages"])]
        self.assertTrue(cheapest)

    def test_tables_and_bad_names(self):
        result = self.run_command(["survey", "--instances", "p3.2xlarge", "--models", "resnet18", "--csv", "-"])
        self.assertEqual(len(result.stdout.splitlines()), 3)
        result = self.run_command(["survey", "--instances", "p3.2xlarge", "--models", "resnet18", "--markdown", "-"])
        self.assertIn("| machine | step |", result.stdout)
        result = self.run_command(["survey", "--instances", "p3.3xlarge"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("p3.2xlarge", result.stderr)
        result = self.run_command(["survey", "--instances", "p3.2xlarge", "--models", "resnet5"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("resnet50", result.stderr)

    def test_networks_with_parameters_are_taken_whole_and_counts_once(self):
        document = self.document(
            "--models", "mlp:layers=8,width=512,resnet18", "--instances", "P3.2xlarge,p3.2xlarge",
            "--batch", "16,mlp:layers=8,width=512=64", "--nodes", "2,2,1", "--region", "US-EAST-1",
        )
        self.assertEqual(len(document["workload"]["models"]), 2)
        cells = [(c["model"].split(":")[0], c["nodes"], c["batch_per_device"]) for c in document["cells"]]
        self.assertEqual(sorted(cells), [("mlp", 1, 64), ("mlp", 2, 64), ("resnet18", 1, 16), ("resnet18", 2, 16)])

    def test_what_cannot_be_meant_is_refused(self):
        one = ["survey", "--instances", "p3.2xlarge", "--models", "resnet18", "--no-store"]
        for more, part in (
            (["--batch", "32,vgg11=4"], "not surveyed"),
            (["--csv", "-", "--json", "-"], "both go to standard output"),
        ):
            result = self.run_command([*one, *more])
            self.assertEqual((result.returncode, result.stdout), (2, ""), more)
            self.assertIn(part, result.stderr)


if __name__ == "__main__":
    unittest.main()
