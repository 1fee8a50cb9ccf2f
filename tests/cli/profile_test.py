"""`stallscope profile` from the command line to its documents."""

import csv
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, SOURCE, TINY  # noqa: E402

import jsonschema  # noqa: E402

SCHEMA = json.loads((SOURCE / "docs/schema/profile-1.schema.json").read_text())


class Profile(CommandTest):
    def profile(self, *flags, **extra):
        result = self.run_command([*TINY, "--out", "out", *flags], **extra)
        self.assertEqual(result.returncode, 0, result.stderr)
        document = self.read_profile("out")
        jsonschema.validate(document, SCHEMA)
        self.assert_nothing_left()
        return result, document

    def test_two_ranks_give_the_synthetic_ladder(self):
        result, document = self.profile("--nproc-per-node", "2")
        self.assertEqual(set(document["conditions"]), {"solo", "crowd", "node"})
        self.assertEqual({entry["condition"] for entry in document["absent"]}, {"cluster", "warm", "cold"})
        self.assertGreaterEqual(document["rounds"]["kept"], 8)
        self.assertIn(document["stopped_by"], ("tolerance", "max-time"))
        for text in ("solo", "crowd", "node", "compute", "communication", "of a step"):
            self.assertIn(text, result.stdout)

    def test_the_stalls_add_up_and_say_what_is_distinguishable(self):
        _, document = self.profile("--nproc-per-node", "2")
        stalls = document["stalls"]
        interconnect = stalls["interconnect"]
        total = stalls["compute"]["seconds"]["mean"] + interconnect["seconds"]["mean"]
        step = document["step_time_s"]["mean"]
        self.assertAlmostEqual(total / step, 1, places=9)
        parts = interconnect["contention"]["seconds"]["mean"] + interconnect["communication"]["seconds"]["mean"]
        self.assertAlmostEqual(parts / interconnect["seconds"]["mean"], 1, places=6)
        shares = stalls["compute"]["share"]["mean"] + interconnect["share"]["mean"]
        self.assertAlmostEqual(shares, 1, places=9)
        for stall in (stalls["compute"], interconnect, interconnect["contention"], interconnect["communication"]):
            seconds = stall["seconds"]
            self.assertLessEqual(seconds["low"], seconds["mean"])
            self.assertLessEqual(seconds["mean"], seconds["high"])
            self.assertEqual(stall["distinguishable"], not seconds["low"] <= 0 <= seconds["high"])

    def test_every_step_and_bucket_is_logged(self):
        self.profile("--nproc-per-node", "2", "--bucket", "tensor")
        with open(self.folder / "out/steps.csv", newline="") as file:
            steps = list(csv.DictReader(file))
        self.assertEqual({row["condition"] for row in steps}, {"solo", "crowd", "node"})
        self.assertEqual({row["rank"] for row in steps}, {"0", "1"})
        for row in steps:
            self.assertGreater(float(row["total_s"]), 0)
        with open(self.folder / "out/buckets.csv", newline="") as file:
            buckets = list(csv.DictReader(file))
        self.assertEqual({row["condition"] for row in buckets}, {"node"})
        late = [row for row in buckets if row["round"]]
        # Three layers with a weight and a bias each, an all-reduce for every one.
        self.assertEqual(len({row["bucket"] for row in late}), 6)
        for row in late:
            self.assertLessEqual(float(row["ready_s"]), float(row["begin_s"]))
            self.assertLess(float(row["begin_s"]), float(row["end_s"]))

    def test_one_rank_has_only_its_own_rung(self):
        _, document = self.profile("--nproc-per-node", "1")
        self.assertEqual(set(document["conditions"]), {"solo"})
        self.assertNotIn("interconnect", document["stalls"])

    def test_json_on_standard_output_is_alone_there(self):
        result, document = self.profile("--json", "-")
        self.assertEqual(json.loads(result.stdout), document)

    def test_quiet_says_nothing(self):
        result, _ = self.profile("--quiet")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_more_ranks_than_cores_is_a_warning(self):
        ranks = len(os.sched_getaffinity(0)) + 1
        result, document = self.profile("--nproc-per-node", str(ranks))
        self.assertIn(f"warning: {ranks} ranks share", result.stderr)
        self.assertEqual(document["cluster"]["devices_per_node"], ranks)

    def test_options_of_the_training_reach_the_engine(self):
        flags = ["--optimizer", "adamw", "--accumulate", "2", "--dtype", "bf16", "--bucket", "model", "--seed", "7"]
        _, document = self.profile(*flags, "--no-broadcast-buffers")
        workload = document["workload"]
        self.assertEqual(workload["optimizer"], "adamw")
        self.assertEqual(workload["accumulate"], 2)
        self.assertEqual(workload["dtype"], "bf16")
        self.assertEqual(workload["bucket"], "model")
        self.assertEqual(document["seed"], 7)

    def test_force_writes_into_a_folder_that_exists(self):
        (self.folder / "out").mkdir()
        self.profile("--force")

    def test_a_dry_run_measures_nothing(self):
        result = self.run_command([*TINY, "--dry-run", "--out", "out"])
        self.assertEqual(result.returncode, 0)
        self.assertIn("measures node", result.stdout)
        self.assertIn("at most 60 s", result.stdout)
        self.assertFalse((self.folder / "out").exists())

    def test_the_same_seed_gives_the_same_order_of_blocks(self):
        orders = []
        for out in ("one", "two"):
            result = self.run_command([*TINY, "--out", out, "--seed", "3"])
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.folder / out / "steps.csv", newline="") as file:
                rows = [row for row in csv.DictReader(file) if row["round"]]
            orders.append(list(dict.fromkeys((row["round"], row["condition"]) for row in rows))[:24])
        self.assertEqual(orders[0], orders[1])


class Models(CommandTest):
    def test_the_list_is_a_table_or_json(self):
        table = self.run_command(["profile", "--list-models"])
        self.assertIn("resnet18", table.stdout)
        result = self.run_command(["profile", "--list-models", "--json", "-"])
        models = {model["name"]: model for model in json.loads(result.stdout)["models"]}
        self.assertEqual(models["resnet18"]["parameters"], 11689512)
        self.assertEqual(models["resnet18"]["gradient_tensors"], 62)
        self.assertEqual(models["resnet18"]["gradient_bytes"], 4 * 11689512)


class Doctor(CommandTest):
    def test_it_finds_the_engine_and_says_what_can_be_measured(self):
        result = self.run_command(["doctor", "--json", "-"])
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        self.assertTrue(document["can_measure"])
        names = {check["name"] for check in document["checks"]}
        wanted = {"cores", "engine", "BLAS", "root", "namespaces", "eviction", "GPUs", "interpreters"}
        self.assertLessEqual(wanted, names)
        for check in document["checks"]:
            self.assertIn(check["health"], ("ok", "limited", "missing"))
            self.assertTrue(check["found"], check)
            if check["health"] == "missing":
                self.assertTrue(check["fix"], check)

    def test_without_an_engine_no_ladder_can_run(self):
        result = self.run_command(["doctor"], STALLSCOPE_ENGINE="/nowhere/engine")
        self.assertEqual(result.returncode, 1)
        self.assertIn("No ladder can run here", result.stdout)
        self.assertIn("STALLSCOPE_ENGINE", result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
