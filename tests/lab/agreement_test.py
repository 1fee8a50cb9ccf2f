"""Ranks that torchrun and srun start measure what a plain launch measures, by every command that measures.

All of it runs in a network namespace whose loopback carries 100 Mbit: gradients on the wire then take most of a step, and
what else the machine does meanwhile counts for little.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from two_machines import skip_without_a_lab  # noqa: E402
from slurm import Slurm, missing as no_slurm  # noqa: E402
from support import SOURCE, STALLSCOPE, CommandTest, torchrun  # noqa: E402

PYTHON = "/usr/bin/python3"
INSIDE = "STALLSCOPE_TEST_LOOPBACK"
# Both directions share loopback's one queue. A frame of 64 KiB is nearly all payload.
RANKS_BYTES_PER_S = 100e6 / 8 / 2
# 0.3 MB of gradients in the MLP of `profile`, 0.25 MiB in the program of `run`; blocks of a second.
PROFILE = ["profile", "--model", "mlp:layers=3,width=128", "--image-size", "16", "--batch", "4", "--tolerance", "20%",
           "--max-time", "20s", "--conditions", "crowd,node", "--no-store", "--out"]
PROBE = ["probe", "--only", "collectives", "--max-time", "5s", "--no-store", "--out"]
RUN = ["run", "--tolerance", "20%", "--max-time", "20s", "--conditions", "crowd,node", "--no-store", "--python", PYTHON,
       "--out"]
PROGRAM = ["--", str(SOURCE / "tests/hook/programs/plain.py"), "--width", "256"]
# Each interval misses the truth one time in twenty; a tenth of slack, as between machines.
SLACK = 0.1


class Agreement(CommandTest):
    slurm = None

    @classmethod
    def setUpClass(cls):
        if not no_slurm():
            cls.slurm = cls.enterClassContext(Slurm())

    def setUp(self):
        super().setUp()
        self.environment["GLOO_SOCKET_IFNAME"] = "lo"

    def documents(self, command, file, *after, plain=()):
        """One of each launcher, one after another, so that no two of them are far apart."""
        launchers = {"plain": ([STALLSCOPE], {}), "torchrun": (torchrun(self.folder), {})}
        if self.slurm:
            launchers["srun"] = (["srun", "-n", "2", STALLSCOPE], self.slurm.environment(**self.environment))
        found = {}
        for name, (launcher, variables) in launchers.items():
            flags = plain if name == "plain" else ()
            result = self.run_command([*command, name, *flags, *after], program=launcher, **variables)
            self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
            self.assert_nothing_left()
            found[name] = json.loads((self.folder / name / file).read_text())
        return found

    def assert_agree(self, estimates):
        """The intervals of all overlap, with the slack."""
        for name, one in estimates.items():
            self.assertLess(one["low"] * (1 - SLACK), estimates["plain"]["high"] * (1 + SLACK), (name, estimates))
            self.assertLess(estimates["plain"]["low"] * (1 - SLACK), one["high"] * (1 + SLACK), (name, estimates))

    def assert_ladders_agree(self, documents, gradient_bytes):
        for document in documents.values():
            self.assertEqual((document["cluster"]["nodes"], document["cluster"]["devices_per_node"]), (1, 2))
            self.assertEqual(set(document["conditions"]), {"crowd", "node"})
            self.assertEqual(document["workload"]["gradient_bytes"], gradient_bytes)
        communication = {name: one["stalls"]["interconnect"]["seconds"] for name, one in documents.items()}
        self.assert_agree(communication)
        # Two ranks each send and receive all gradients once: so long does the wire take alone.
        self.assertGreater(communication["plain"]["high"], 0.8 * gradient_bytes / RANKS_BYTES_PER_S)

    def test_profile(self):
        documents = self.documents(PROFILE, "profile.json", plain=["--nproc-per-node", "2"])
        self.assert_ladders_agree(documents, documents["plain"]["workload"]["gradient_bytes"])

    def test_probe(self):
        cards = self.documents(PROBE, "machine.json", plain=["--nproc-per-node", "2"])
        for card in cards.values():
            self.assertEqual([(curve["where"], curve["ranks"]) for curve in card["collectives"]], [("machine", 2)])
        self.assert_agree({name: card["collectives"][0]["fit"]["bytes_per_s"] for name, card in cards.items()})

    def test_run(self):
        if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
            self.skipTest("there is no python3-torch here")
        plain = ["--nproc-per-node", "2", "--launches", "1"]
        documents = self.documents(RUN, "profile.json", *PROGRAM, plain=plain)
        self.assert_ladders_agree(documents, documents["plain"]["workload"]["gradient_bytes"])


if __name__ == "__main__":
    skip_without_a_lab()
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv])
    # A second interface: Slurm looks for no name's address on a machine that has none but loopback's.
    for command in ("ip link set lo up", "ip link add lab0 type veth peer name lab1", "ip address add 10.78.0.1/24 dev lab0",
                    "ip link set lab0 up", "ip link set lab1 up",
                    "tc qdisc add dev lo root tbf rate 100mbit burst 256kb latency 50ms"):
        subprocess.run(command.split(), check=True)
    unittest.main(verbosity=2)
