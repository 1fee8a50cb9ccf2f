"""`stallscope run`: programs of many shapes, unedited, under Debian's python3-torch."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import STALLSCOPE, CommandTest, SOURCE, processes_with, skip_all, wait_until  # noqa: E402

import jsonschema  # noqa: E402

PROGRAMS = SOURCE / "tests/hook/programs"
EXAMPLES = SOURCE / "examples"
PYTHON = "/usr/bin/python3"
SCHEMA = json.loads((SOURCE / "docs/schema/profile-1.schema.json").read_text())
QUICK = ["--tolerance", "60%", "--max-time", "60s", "--no-store", "--python", PYTHON]


def fingerprint(folder):
    """Names, modes and contents of everything below a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path.relative_to(folder))] = (path.stat().st_mode, content)
    return found


class RunTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        subprocess.run([PYTHON, PROGRAMS / "make_files.py", self.data, "--count", "1200", "--bytes", "16384"], check=True)

    def run_program(self, *words, flags=(), code=0, seconds=300):
        result = self.run_command(["run", *QUICK, "--out", "out", *flags, "--", *map(str, words)], seconds)
        self.assertEqual(result.returncode, code, result.stderr + self.logs())
        self.assert_nothing_left()
        return result

    def logs(self):
        return "".join(f"\n--- {path.name}\n{path.read_text()[-2000:]}" for path in self.folder.glob("out/log/*"))

    def profile(self, *words, flags=(), seconds=300):
        self.run_program(*words, flags=flags, seconds=seconds)
        document = self.read_profile("out")
        jsonschema.validate(document, SCHEMA)
        self.assert_closes(document)
        return document

    def assert_closes(self, document):
        stalls = document["stalls"]
        parts = sum(stalls[name]["seconds"]["mean"] for name in
                    ("compute", "interconnect", "network", "prep", "fetch") if name in stalls)
        self.assertAlmostEqual(parts / document["step_time_s"]["mean"], 1, places=6)

    def assert_rungs(self, document, *rungs):
        self.assertEqual(set(document["conditions"]), set(rungs), document["absent"])


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


class Injected(RunTest):
    def test_a_sleep_in_the_dataset_is_prep(self):
        # One process loads and trains: 8 samples of 5 ms each make a step 40 ms longer, and nothing hides them.
        prep = {}
        for sleep in ("0", "0.005"):
            document = self.profile(PROGRAMS / "plain.py", "--data", self.data, "--sleep", sleep, flags=[
                "--tolerance", "10%", "--conditions", "solo,warm", "--force"])
            prep[sleep] = document["stalls"]["prep"]["seconds"]["mean"]
        step = document["step_time_s"]["mean"]
        # A sleep lasts a little longer than asked for, never shorter.
        self.assertGreater(prep["0.005"] - prep["0"], 0.040 - 0.1 * step)
        self.assertLess(prep["0.005"] - prep["0"], 0.040 + 0.1 * step)

    def test_a_slowed_disk_is_the_fetch_stall(self):
        if os.geteuid() != 0:
            self.skipTest("a cgroup needs root")
        document = self.profile(PROGRAMS / "plain.py", "--data", self.data, flags=[
            "--data", str(self.data), "--emulate", "nodes=2,disk=2MB/s", "--launches", "1", "--tolerance", "20%",
            "--conditions", "cluster,warm,cold"])
        # Both ranks read 8 files of 16 KiB a step from one disk: 262,144 bytes at 2 MB/s. bench/hook/injected.py asks
        # for 5 % of a step; a test on a busy machine asks whether it is the disk.
        expected = 2 * 8 * 16384 / 2e6
        fetch = document["stalls"]["fetch"]
        self.assertTrue(fetch["distinguishable"])
        self.assertGreater(fetch["seconds"]["mean"], 0.75 * expected)
        self.assertLess(fetch["seconds"]["mean"], 1.5 * expected)

    def test_a_shaped_link_is_the_network_stall(self):
        if os.geteuid() != 0:
            self.skipTest("shaping needs root")
        document = self.profile(PROGRAMS / "plain.py", "--data", self.data, flags=[
            "--emulate", "nodes=2,bandwidth=20Mbit", "--launches", "1", "--tolerance", "10%"])
        self.assert_rungs(document, "crowd", "node", "cluster", "warm", "cold")
        wire = document["workload"]["gradient_bytes"] * 1514 / 1448 * 8 / 20e6
        network = document["stalls"]["network"]
        self.assertTrue(network["distinguishable"])
        # The shaper's burst of 256 kB lets a step's 137 kB of gradients pass at once now and then; the mean rate holds.
        self.assertGreater(network["seconds"]["mean"], 0.4 * wire)
        self.assertLess(network["seconds"]["mean"], 1.6 * wire)


class Trouble(RunTest):
    TWO = ("--nproc-per-node", "2", "--launches", "1", "--tolerance", "0.01%", "--conditions", "crowd,node")

    def test_what_the_script_raises_is_said_with_rank_and_step(self):
        result = self.run_program(PROGRAMS / "misbehaves.py", "--by", "raising", "--at", "300", "--rank", "1", flags=self.TWO, code=1)
        self.assertRegex(result.stderr, r"error: rank 1 raised ValueError: the data went bad, at step \d+ \(exit code 1\)")
        self.assertIn("Traceback", (self.folder / "out/log/launch1-rank1.log").read_text())

    def test_a_rank_that_hangs_is_named(self):
        result = self.run_program(PROGRAMS / "misbehaves.py", "--by", "hanging", "--at", "300", "--rank", "1",
                                  flags=[*self.TWO, "--timeout", "5s"], code=1)
        self.assertIn("rank 1 hangs", result.stderr)
        self.assertIn("--timeout", result.stderr)

    def test_an_early_exit_is_said_with_its_status(self):
        result = self.run_program(PROGRAMS / "misbehaves.py", "--by", "exiting", "--at", "300", "--code", "3", flags=self.TWO, code=1)
        self.assertRegex(result.stderr, r"ended by itself after \d+ steps.*exit code 3")

    def test_bulk_output_holds_nothing_up(self):
        self.run_program(PROGRAMS / "misbehaves.py", "--by", "printing", flags=["--conditions", "solo"])

    def test_a_program_that_trains_nothing_is_told_what_was_looked_for(self):
        result = self.run_program(PROGRAMS / "no_backward.py", "--steps", "30", code=1)
        self.assertIn("a backward pass", result.stderr)

    def test_a_program_without_torch(self):
        result = self.run_program(PROGRAMS / "no_torch.py", "--steps", "5", code=1)
        self.assertIn("had not imported torch", result.stderr)

    def test_the_folder_is_as_it_was(self):
        (self.folder / "weights-0.pt").write_bytes(b"the user's own")
        before = fingerprint(self.folder)
        result = self.run_command(["run", *QUICK, "--out", str(self.temporary.parent / "out"), "--conditions", "solo",
                                   "--", str(PROGRAMS / "saves.py")])
        self.assertEqual(result.returncode, 0, result.stderr)
        after = {name: value for name, value in fingerprint(self.folder).items() if not name.startswith("out")}
        self.assertEqual(after, before)
        self.assertIn("torch.save is refused", (self.folder / "out/log/launch1-rank0.log").read_text())

    def test_ctrl_c_keeps_what_was_measured(self):
        process = self.start(["run", *QUICK, "--out", "out", "--tolerance", "0.01%", "--conditions", "solo", "--",
                              str(PROGRAMS / "no_ddp.py")])
        steps = self.folder / "out/steps.csv"
        wait_until(lambda: steps.exists() and "\n4," in steps.read_text(), 60, "the fifth round")
        process.send_signal(2)
        result = self.finish(process, 60)
        self.assertEqual(result.returncode, 130, result.stderr)
        self.assertEqual(self.read_profile("out")["stopped_by"], "interrupted")
        self.assert_nothing_left()

    def test_ranks_die_with_a_killed_command(self):
        process = self.start(["run", *QUICK, "--out", "out", "--tolerance", "0.01%", "--nproc-per-node", "2",
                              "--launches", "1", "--", str(PROGRAMS / "plain.py"), "--workers", "1", "--data",
                              str(self.data)])
        wait_until(lambda: (self.folder / "out/steps.csv").exists(), 60, "the first block")
        process.kill()
        process.wait()
        wait_until(lambda: not processes_with("STALLSCOPE_TEST_MARK", self.mark), 20, "the end of all processes")

    def test_explain_trains_nothing(self):
        result = self.run_program(PROGRAMS / "plain.py", flags=["--explain", "--nproc-per-node", "2"])
        for word in ("plain.py", "torch 1.13", "3 x 2 ranks", "DataLoader", "overlay"):
            self.assertIn(word, result.stdout)
        self.assertFalse((self.folder / "out").exists())

    def test_an_interpreter_without_torch_is_named_with_one_that_has_it(self):
        bare = self.folder / "bare-python3"
        bare.write_text(f'#!/bin/sh\nexec {PYTHON} -S "$@"\n')
        bare.chmod(0o755)
        result = self.run_command(["run", "--python", str(bare), "--", str(PROGRAMS / "plain.py")])
        self.assert_one_error(result, "torch", PYTHON)


class Observed(RunTest):
    def losses(self, *flags):
        result = self.run_command(["run", "--python", PYTHON, "--observe", "--nproc-per-node", "2", "--out", "out", *flags,
                                   "--", str(PROGRAMS / "plain.py"), "--steps", "60", "--workers", "1", "--data",
                                   str(self.data), "--model", "cnn", "--losses", "observed.txt"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_nothing_left()
        return result

    def test_losses_are_the_same_to_the_last_bit(self):
        result = self.losses()
        environment = {**self.environment, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29611",
                       "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
        plain = [subprocess.Popen([PYTHON, PROGRAMS / "plain.py", "--steps", "60", "--workers", "1", "--data", self.data,
                                   "--model", "cnn", "--losses", "plain.txt"], cwd=self.folder,
                                  env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in (0, 1)]
        for process in plain:
            self.assertEqual(process.wait(120), 0)
        for suffix in ("", ".1"):
            seen = (self.folder / f"observed.txt{suffix}").read_text()
            self.assertEqual(seen, (self.folder / f"plain.txt{suffix}").read_text())
            self.assertEqual(len(seen.splitlines()), 60)
        document = json.loads((self.folder / "out/observation.json").read_text())
        jsonschema.validate(document, json.loads((SOURCE / "docs/schema/observation-1.schema.json").read_text()))
        self.assertTrue(document["finished"])
        self.assertEqual(document["exit_status"], 0)
        self.assertGreater(document["steps"], 40)
        shares = sum(part["share"]["mean"] for part in document["parts"].values())
        self.assertAlmostEqual(shares, 1, delta=0.01)
        self.assertIn("steps", result.stdout)

    def test_the_programs_exit_status_is_ours(self):
        result = self.run_command(["run", "--python", PYTHON, "--observe", "--out", "out", "--", str(PROGRAMS / "misbehaves.py"),
                                   "--by", "exiting", "--at", "20", "--code", "7"])
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertEqual(json.loads((self.folder / "out/observation.json").read_text())["exit_status"], 7)


def skip_without_torch():
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
        skip_all(f"{PYTHON} has no torch")


if __name__ == "__main__":
    skip_without_torch()
    unittest.main(verbosity=2)
