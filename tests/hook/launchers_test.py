"""`stallscope run` in front of ranks that somebody else starts, on every rung; tests/lab/agreement_test.py compares times."""

import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from hook_support import PROGRAMS, QUICK, RunTest, skip_without_torch  # noqa: E402
from slurm import Slurm, missing as no_slurm  # noqa: E402
from support import STALLSCOPE, free_port, torchrun  # noqa: E402


class Launchers(RunTest):
    def arguments(self, *flags):
        return ["run", *QUICK, "--out", "out", *flags, "--", str(PROGRAMS / "plain.py"), "--data", str(self.data)]

    def assert_what_one_launch_gives(self, *rungs):
        document = self.read_profile("out")
        self.assert_closes(document)
        self.assert_rungs(document, *rungs)
        self.assert_nothing_left()
        return {entry["condition"]: entry["reason"] for entry in document["absent"]}

    def test_torchrun(self):
        result = self.run_command(self.arguments(), program=torchrun(self.folder))
        self.assertEqual(result.returncode, 0, result.stderr + self.logs())
        self.assert_what_one_launch_gives("crowd", "node", "warm", "cold")

    @unittest.skipIf(no_slurm(), no_slurm())
    def test_srun(self):
        with Slurm() as slurm:
            result = self.run_command(self.arguments(), program=["srun", "-n", "2", STALLSCOPE],
                                      **slurm.environment(**self.environment))
        self.assertEqual(result.returncode, 0, result.stderr + self.logs())
        self.assert_what_one_launch_gives("crowd", "node", "warm", "cold")

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_mpirun(self):
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", STALLSCOPE]
        result = self.run_command(self.arguments("--master-port", free_port()), program=launcher)
        self.assertEqual(result.returncode, 0, result.stderr + self.logs())
        reasons = self.assert_what_one_launch_gives("crowd", "node", "warm", "cold")
        self.assertIn("stallscope run --nproc-per-node 2", reasons["solo"])

    def test_one_command_per_machine(self):
        flags = ["--nnodes", "2", "--master-addr", "127.0.0.1", "--master-port", free_port()]
        both = [self.start(self.arguments(*flags, "--node-rank", str(node)), GLOO_SOCKET_IFNAME="lo")
                for node in (1, 0)]
        for process in both:
            result = self.finish(process)
            self.assertEqual(result.returncode, 0, result.stderr + self.logs())
        # One rank per machine is alone there without averaging; there is no crowd.
        reasons = self.assert_what_one_launch_gives("solo", "cluster", "warm", "cold")
        self.assertEqual(reasons["crowd"], "one device per machine")


if __name__ == "__main__":
    skip_without_torch()
    unittest.main(verbosity=2)
