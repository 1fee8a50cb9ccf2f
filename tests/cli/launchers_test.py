"""Ranks that somebody else starts: torchrun, mpirun, bare variables, one command per machine."""

import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from slurm import Slurm, missing as no_slurm  # noqa: E402
from support import ENDLESS, STALLSCOPE, TINY, CommandTest, free_port, torchrun, wait_until  # noqa: E402


class Launchers(CommandTest):
    def assert_two_ranks_on_one_machine(self):
        document = self.read_profile("out")
        self.assertEqual(document["cluster"]["nodes"], 1)
        self.assertEqual(document["cluster"]["devices_per_node"], 2)
        self.assertEqual(set(document["conditions"]), {"solo", "crowd", "node"})
        self.assert_nothing_left()

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_mpirun_starts_two_ranks(self):
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", STALLSCOPE]
        result = self.run_command([*TINY, "--out", "out"], program=launcher)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_two_ranks_on_one_machine()

    def journal(self):
        """Finished rounds, as the journal has them; its first line is about the job."""
        file = self.folder / "out/rounds.jsonl"
        return file.read_text().splitlines()[1:] if file.exists() else []

    def start_endless(self, launcher, *flags, rounds=3, **variables):
        process = self.start([*ENDLESS, *flags], program=launcher, **variables)
        wait_until(lambda: process.poll() is not None or len(self.journal()) >= rounds, 120, f"round {rounds}")
        self.assertIsNone(process.poll(), process.communicate() if process.poll() is not None else "")
        return process

    def assert_interrupted(self, result, code, rounds):
        self.assertEqual(result.returncode, code, result.stderr)
        document = self.read_profile("out")
        self.assertEqual(document["stopped_by"], "interrupted")
        self.assertGreaterEqual(sum(document["rounds"].values()), rounds)
        self.assertEqual(sum(document["rounds"].values()), len(self.journal()))
        self.assert_nothing_left()

    def assert_goes_on(self, launcher, **variables):
        """From the rounds that were kept, to the end that a run has that nobody interrupted."""
        kept = len(self.journal())
        # As many as were kept may already be precise enough; the stop rule wants one more look at least.
        result = self.run_command([*TINY, "--resume", "out"], program=launcher, **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        document = self.read_profile("out")
        self.assertIn(document["stopped_by"], ("tolerance", "max-time"))
        self.assertGreaterEqual(sum(document["rounds"].values()), kept)
        self.assert_two_ranks_on_one_machine()

    @unittest.skipIf(no_slurm(), no_slurm())
    def test_srun_keeps_what_was_measured_when_preempted_and_goes_on(self):
        srun = ["srun", "-n", "2", STALLSCOPE]
        with Slurm() as slurm:
            variables = slurm.environment(**self.environment)
            # A signal to srun itself is no preemption: srun kills its tasks at once. The journal is there.
            killed = self.start_endless(srun, "--out", "out", **variables)
            killed.send_signal(signal.SIGTERM)
            self.assertEqual(self.finish(killed).returncode, 137)
            kept = len(self.journal())
            self.assertGreaterEqual(kept, 3)
            self.assertFalse((self.folder / "out/profile.json").exists())
            for folder in self.temporary.glob("stallscope-*"):
                shutil.rmtree(folder)  # the watchdog was killed too
            # What Slurm does at the end of a job's time, on scancel and on preemption: SIGTERM to every process.
            preempted = self.start_endless(srun, "--resume", "out", rounds=kept + 2, **variables)
            subprocess.run(["scancel", "2"], env=variables, check=True)
            self.assert_interrupted(self.finish(preempted), 143, kept + 2)
            self.assert_goes_on(srun, **variables)

    def test_torchrun_keeps_what_was_measured_when_preempted_and_goes_on(self):
        preempted = self.start_endless(torchrun(self.folder), "--out", "out")
        preempted.send_signal(signal.SIGTERM)
        # torchrun itself fails of the signal, once the commands have ended.
        self.assert_interrupted(self.finish(preempted), 1, 3)
        self.assert_goes_on(torchrun(self.folder))

    def test_bare_variables_start_two_ranks(self):
        variables = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
        both = [
            self.start([*TINY, "--out", "out"], RANK=str(rank), LOCAL_RANK=str(rank), **variables) for rank in (0, 1)
        ]
        for process in both:
            result = self.finish(process)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_two_ranks_on_one_machine()

    def test_one_command_per_machine(self):
        flags = ["--nnodes", "2", "--master-addr", "127.0.0.1", "--master-port", free_port()]
        both = [
            self.start([*TINY, *flags, "--nproc-per-node", "1", "--node-rank", str(node), "--out", f"out{node}"])
            for node in (1, 0)
        ]
        for process in both:
            result = self.finish(process)
            self.assertEqual(result.returncode, 0, result.stderr)
        document = self.read_profile("out0")
        self.assertEqual(document["cluster"]["nodes"], 2)
        self.assertEqual(set(document["conditions"]), {"solo", "cluster"})
        self.assertFalse((self.folder / "out1").exists(), "rank 0's command writes the results")
        self.assert_nothing_left()

    def test_machines_with_other_options_are_told(self):
        flags = ["--nnodes", "2", "--master-addr", "127.0.0.1", "--master-port", free_port()]
        both = [
            self.start([*TINY, *flags, "--nproc-per-node", "1", "--node-rank", str(node), "--batch", str(4 + node),
                        "--out", f"out{node}"])
            for node in (0, 1)
        ]
        results = [self.finish(process) for process in both]
        self.assertEqual([result.returncode for result in results], [1, 1])
        self.assertTrue(any("another 'batch' (5) than rank 0 (4)" in result.stderr for result in results), results)
        self.assert_nothing_left()

    def test_nproc_per_node_does_not_go_with_a_launcher(self):
        result = self.run_command([*TINY, "--nproc-per-node", "2"], RANK="0", WORLD_SIZE="2", LOCAL_RANK="0")
        self.assert_one_error(result, "--nproc-per-node", "leave --nproc-per-node out")


if __name__ == "__main__":
    unittest.main(verbosity=2)
