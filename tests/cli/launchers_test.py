"""Ranks that somebody else starts: torchrun, mpirun, bare variables, one command per machine."""

import json
import os
import pathlib
import shutil
import socket
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from slurm import Slurm, missing as no_slurm  # noqa: E402
from support import CommandTest, STALLSCOPE, TINY  # noqa: E402


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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

    @unittest.skipIf(no_slurm(), no_slurm())
    def test_srun_starts_two_ranks(self):
        with Slurm() as slurm:
            variables = slurm.environment(**self.environment)
            srun = ["srun", "-n", "2", STALLSCOPE]
            result = self.run_command([*TINY, "--out", "out"], program=srun, **variables)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assert_two_ranks_on_one_machine()
            probe = ["probe", "--only", "collectives", "--max-time", "6s", "--no-store", "--out", "card"]
            result = self.run_command(probe, program=srun, **variables)
            self.assertEqual(result.returncode, 0, result.stderr)
            card = json.loads((self.folder / "card/machine.json").read_text())
            self.assertEqual([curve["where"] for curve in card["collectives"]], ["machine"])

    def torchrun(self):
        for place in ("/usr/bin/torchrun", shutil.which("torchrun")):
            if place and os.path.exists(place):
                return [place]
        return ["/usr/bin/python3", "-m", "torch.distributed.run"]

    def test_torchrun_starts_two_ranks(self):
        # Debian's torchrun 1.13 needs a folder for logs to start programs that are no Python.
        launcher = [*self.torchrun(), "--nproc_per_node", "2", "--no_python", "--master_port", str(free_port())]
        launcher += ["--redirects", "1", "--tee", "1", "--log_dir", str(self.folder / "torchrun")]
        result = self.run_command([*TINY, "--out", "out"], program=[*launcher, STALLSCOPE])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_two_ranks_on_one_machine()
        probe = ["probe", "--only", "collectives", "--max-time", "6s", "--no-store", "--out", "card"]
        result = self.run_command(probe, program=[*launcher, STALLSCOPE])
        self.assertEqual(result.returncode, 0, result.stderr)
        card = json.loads((self.folder / "card/machine.json").read_text())
        self.assertEqual([curve["where"] for curve in card["collectives"]], ["machine"])

    def test_bare_variables_start_two_ranks(self):
        variables = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        both = [
            self.start([*TINY, "--out", "out"], RANK=str(rank), LOCAL_RANK=str(rank), **variables) for rank in (0, 1)
        ]
        for process in both:
            result = self.finish(process)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_two_ranks_on_one_machine()

    def test_one_command_per_machine(self):
        flags = ["--nnodes", "2", "--master-addr", "127.0.0.1", "--master-port", str(free_port())]
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
        flags = ["--nnodes", "2", "--master-addr", "127.0.0.1", "--master-port", str(free_port())]
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
