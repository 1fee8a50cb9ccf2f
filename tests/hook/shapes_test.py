"""Programs whose loops are unlike the plain one: how they get their batches, and who trains."""

import json
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from hook_support import PROGRAMS, PYTHON, RunTest, skip_without_torch  # noqa: E402


class Batches(RunTest):
    WARM = ("--conditions", "solo,warm", "--max-time", "30s")

    def reasons(self, document):
        return {entry["condition"]: entry["reason"] for entry in document["absent"]}

    def test_a_loader_made_anew_and_read_for_other_ends_is_still_the_training_loader(self):
        document = self.profile(PROGRAMS / "remade.py", "--batch", "5", "--sleep", "0.002", flags=self.WARM)
        self.assert_rungs(document, "solo", "warm")
        # Its batches are tuples of sentences of different lengths, and its data set has a length.
        self.assertEqual(document["workload"]["batch_per_device"], 5)
        self.assertEqual(document["workload"]["accumulate"], 1)
        # 5 samples of 2 ms each are 10 ms a step, in the loop's own process; machines are never faster than a sleep.
        self.assertGreater(document["stalls"]["prep"]["seconds"]["mean"], 0.009)
        self.assertGreater(document["conditions"]["warm"]["parts"]["data_wait_s"], 0.010)
        self.assertLess(document["conditions"]["solo"]["parts"]["data_wait_s"], 0.010)

    def test_a_thread_that_reads_ahead_is_drained_and_ended(self):
        document = self.profile(PROGRAMS / "thread.py", "--sleep", "0.002", flags=self.WARM)
        self.assert_rungs(document, "solo", "warm")
        # 8 samples of 2 ms: the queue hides nothing of it, as a step is shorter.
        self.assertGreater(document["stalls"]["prep"]["seconds"]["mean"], 0.012)

    def test_what_a_loop_waits_for_its_thread_is_data_wait(self):
        result = self.run_command(["run", "--python", PYTHON, "--observe", "--out", "out", "--", str(PROGRAMS / "thread.py"),
                                   "--sleep", "0.002", "--steps", "80"])
        self.assertEqual(result.returncode, 0, result.stderr)
        parts = json.loads((self.folder / "out/observation.json").read_text())["parts"]
        self.assertAlmostEqual(sum(part["share"]["mean"] for part in parts.values()), 1, delta=0.01)
        self.assertGreater(parts["data_wait"]["share"]["mean"], 0.5)

    def test_batches_that_a_loop_keeps_are_no_loader(self):
        for flags in (("--samples", "24", "--cycle"), ("--samples", "24")):
            with self.subTest(flags):
                document = self.profile(PROGRAMS / "keeps.py", *flags, flags=["--max-time", "20s", "--force"])
                self.assert_rungs(document, "solo")
                self.assertIn("batches that it keeps", self.reasons(document)["warm"])
                self.assertEqual(document["workload"]["batch_per_device"], 8)


class Trouble(RunTest):
    def test_a_program_that_trains_in_processes_of_its_own_is_told_at_once(self):
        for how in ("--spawn", "--fork", "--launch"):
            with self.subTest(how):
                begin = time.monotonic()
                result = self.run_program(PROGRAMS / "starts_its_own.py", how, flags=["--force"], code=1)
                self.assertIn("trains in processes that it starts itself", result.stderr)
                self.assertIn("--nproc-per-node", result.stderr)
                self.assertLess(time.monotonic() - begin, 100)  # 100,000 samples would take longer

    def test_an_exception_that_cannot_be_printed_is_said_all_the_same(self):
        result = self.run_program(PROGRAMS / "keeps.py", "--samples", "24", "--steps", "90", flags=["--tolerance", "0.01%"],
                                  code=1)
        self.assertIn("rank 0 raised Unspeakable, at step 90 (exit code 1)", result.stderr)
        self.assertNotIn("stallscope_hook", self.logs())


if __name__ == "__main__":
    skip_without_torch()
    unittest.main(verbosity=2)
