"""Programs of many shapes under `stallscope run`: which rungs they have. What these take is compared with nothing, so
other tests may run beside."""

import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from hook_support import PROGRAMS, PYTHON, QUICK, RunTest, skip_without_torch  # noqa: E402


class Shapes(RunTest):
    """Programs that differ in how they load, average and step; the rungs that apply are there."""

    TWO = ("--nproc-per-node", "2", "--launches", "1")

    def test_a_plain_loop_has_every_rung_that_applies(self):
        document = self.profile(PROGRAMS / "plain.py", "--data", self.data, "--workers", "1",
                                flags=["--nproc-per-node", "2", "--max-time", "90s"])
        self.assert_rungs(document, "solo", "crowd", "node", "warm", "cold")
        self.assertEqual(document["conditions"]["cold"]["cache"], "cold")
        self.assertEqual(document["conditions"]["warm"]["cache"], "warm")
        self.assertEqual(document["workload"]["batch_per_device"], 8)
        self.assertEqual(document["workload"]["dataset"]["samples"], 1200)
        # One rank alone computes as one of two does.
        for log in ("launch1-rank0", "solo1-rank0"):
            self.assertIn("OMP_NUM_THREADS is 1", (self.folder / f"out/log/{log}.log").read_text())
        # A file of 16 KiB is a sample.
        self.assertAlmostEqual(document["workload"]["dataset"]["bytes"], 1200 * 16384, delta=1200 * 164)

    def test_no_ddp_has_compute_prep_and_fetch(self):
        document = self.profile(PROGRAMS / "no_ddp.py")
        self.assert_rungs(document, "solo", "warm")
        reasons = {entry["condition"]: entry["reason"] for entry in document["absent"]}
        self.assertIn("read no file", reasons["cold"])

    def test_workers_that_are_spawned(self):
        # Each real block starts them anew, and each imports torch: one rank, so that a slow machine has its rounds.
        document = self.profile(PROGRAMS / "plain.py", "--data", self.data, "--workers", "1", "--context", "spawn",
                                flags=["--max-time", "90s"])
        self.assert_rungs(document, "solo", "warm", "cold")

    def test_workers_that_persist(self):
        document = self.profile(PROGRAMS / "plain.py", "--data", self.data, "--workers", "2", "--persistent")
        self.assert_rungs(document, "solo", "warm", "cold")

    def test_an_iterable_dataset(self):
        document = self.profile(PROGRAMS / "iterable.py", "--data", self.data, flags=self.TWO)
        self.assertLessEqual({"crowd", "node", "warm"}, set(document["conditions"]))

    def test_accumulation_is_one_step(self):
        document = self.profile(PROGRAMS / "accumulate.py", "--data", self.data, flags=self.TWO)
        self.assertEqual(document["workload"]["accumulate"], 3)
        self.assert_rungs(document, "crowd", "node", "warm", "cold")

    def test_mixed_precision(self):
        plain = subprocess.run([PYTHON, "-B", PROGRAMS / "amp.py", "--steps", "2"], capture_output=True, check=False)
        if plain.returncode == -signal.SIGILL:
            self.skipTest("this machine's torch dies of bfloat16 (SIGILL), without us too")
        self.profile(PROGRAMS / "amp.py", "--data", self.data)

    def test_two_optimisers_are_one_step(self):
        document = self.profile(PROGRAMS / "two_optimisers.py", "--data", self.data, flags=self.TWO)
        self.assertLessEqual({"crowd", "node", "warm"}, set(document["conditions"]))

    def test_evaluation_is_no_training(self):
        # It evaluates every 5 steps, on some of the files that it trains on: these are evicted again.
        document = self.profile(PROGRAMS / "evaluates.py", "--data", self.data)
        self.assert_rungs(document, "solo", "warm", "cold")
        self.assertEqual(document["workload"]["dataset"]["samples"], 1200)

    def test_evaluation_on_two_ranks(self):
        # One rank's evaluation may bring a file into memory just before the other trains on it: then cold says so.
        document = self.profile(PROGRAMS / "evaluates.py", "--data", self.data, flags=self.TWO)
        self.assert_rungs(document, "crowd", "node", "warm", *(["cold"] if "cold" in document["conditions"] else []))
        for entry in document["absent"]:
            if entry["condition"] == "cold":
                self.assertIn("came from the disk", entry["reason"])

    def test_collectives_by_hand_cannot_be_switched_off(self):
        document = self.profile(PROGRAMS / "collectives.py", "--data", self.data, flags=self.TWO)
        self.assert_rungs(document, "node", "warm", "cold")
        reasons = {entry["condition"]: entry["reason"] for entry in document["absent"]}
        self.assertIn("DistributedDataParallel", reasons["crowd"])
        self.assertGreater(document["conditions"]["node"]["parts"]["exposed_communication_s"], 0)

    def mapped(self, *words, flags=()):
        (self.data / "tokens.u16").write_bytes(os.urandom(16 << 20))
        document = self.profile(PROGRAMS / "mapped.py", "--data", self.data, *words, flags=flags)
        self.assertEqual(document["conditions"]["warm"]["cache"], "warm")
        self.assertEqual(document["conditions"]["cold"]["cache"], "cold")
        return document

    def test_a_mapped_file_is_found_evicted_and_verified(self):
        document = self.mapped()
        self.assert_rungs(document, "solo", "warm", "cold")
        # A sample is 16 tokens of 2 bytes of it.
        self.assertAlmostEqual(document["workload"]["dataset"]["bytes"], 16 << 20, delta=0.01 * (16 << 20))

    def test_a_file_that_two_ranks_and_their_workers_map(self):
        document = self.mapped("--late", "--workers", "1", flags=self.TWO)
        self.assert_rungs(document, "crowd", "node", "warm", "cold")

    def test_a_private_mapping_keeps_what_was_written_into_it(self):
        self.mapped("--private", flags=self.TWO)

    def test_a_closure(self):
        self.profile(PROGRAMS / "closure.py", "--data", self.data)

    def test_tiny_epochs(self):
        self.profile(PROGRAMS / "single_batch.py", flags=["--conditions", "solo,warm"])

    def test_a_module_of_a_package(self):
        flags = [flag for flag in QUICK if flag not in ("--python", PYTHON)]
        result = self.run_command(["run", *flags, "--out", "out", "--conditions", "solo", "--", PYTHON, "-m",
                                   "module_pkg.train"], PYTHONPATH=str(PROGRAMS))
        self.assertEqual(result.returncode, 0, result.stderr + self.logs())
        self.assertEqual(self.read_profile("out")["workload"]["model"], "module_pkg.train")


if __name__ == "__main__":
    skip_without_torch()
    unittest.main(verbosity=2)
