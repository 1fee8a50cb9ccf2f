"""Open MPI's mpirun across two machines out of network namespaces; what it gives is what one command per machine gives."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from two_machines import ADDRESSES, TwoMachines, skip_without_a_lab  # noqa: E402
from support import CommandTest, SOURCE, STALLSCOPE, skip_all, wait_until  # noqa: E402

# 1 MB of gradients: the wire alone takes 90 ms a step, which hides what else the machine does.
WORKLOAD = ["profile", "--model", "mlp:layers=3,width=256", "--image-size", "16", "--batch", "4", "--no-store",
            "--master-addr", ADDRESSES[0]]
QUICK = ["--tolerance", "20%", "--max-time", "60s"]
PYTHON = "/usr/bin/python3"


class Mpirun(CommandTest):
    def setUp(self):
        super().setUp()
        self.machines = TwoMachines("100mbit")
        self.addCleanup(self.machines.close)
        # What ssh would do: drop the name of the host and run the rest there.
        agent = self.folder / "agent"
        agent.write_text(f"#!/bin/sh\nshift\nexec {' '.join(self.machines.on(1))} sh -c \"$*\"\n")
        agent.chmod(0o755)
        # Longer than the second after which mpirun kills what it has asked to end.
        self.launcher = [
            *self.machines.on(0), "mpirun", "--allow-run-as-root", "--mca", "plm_rsh_agent", str(agent),
            "--mca", "oob_tcp_if_include", "lab0", "--mca", "btl_tcp_if_include", "lab0",
            "--mca", "odls_base_sigkill_timeout", "5", "--host", ",".join(ADDRESSES), "-n", "2", STALLSCOPE]
        # mpirun's own folder shall not count as one of ours.
        (self.folder / "mpi").mkdir()
        self.variables = {"OMPI_MCA_orte_tmpdir_base": str(self.folder / "mpi"), "GLOO_SOCKET_IFNAME": "lab0"}

    def mpirun(self, *arguments):
        result = self.run_command(arguments, program=self.launcher, **self.variables)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        self.assert_nothing_left()
        return result

    def one_command_per_machine(self):
        place = ["--nproc-per-node", "1", "--nnodes", "2", "--master-port", "29500"]
        both = [self.start([*WORKLOAD, *QUICK, *place, "--node-rank", str(machine), "--out", "plain"],
                           program=[*self.machines.on(machine), STALLSCOPE]) for machine in (0, 1)]
        for process in both:
            self.assertEqual(self.finish(process).returncode, 0)
        return self.read_profile("plain")

    def test_profile_agrees_with_one_command_per_machine(self):
        self.mpirun(*WORKLOAD, *QUICK, "--out", "out")
        document = self.read_profile("out")
        self.assertEqual((document["cluster"]["nodes"], document["cluster"]["devices_per_node"]), (2, 1))
        plain = self.one_command_per_machine()
        self.assertEqual(set(document["conditions"]), set(plain["conditions"]))
        here, there = (one["stalls"]["network"]["seconds"] for one in (document, plain))
        # Intervals of eight rounds miss the truth one time in twenty each: a tenth of slack.
        self.assertLess(here["low"] * 0.9, there["high"] * 1.1)
        self.assertLess(there["low"] * 0.9, here["high"] * 1.1)

    def test_sigterm_keeps_what_was_measured_and_resume_goes_on(self):
        process = self.start([*WORKLOAD, "--tolerance", "0.0001%", "--max-time", "10m", "--out", "out"],
                             program=self.launcher, **self.variables)
        steps = self.folder / "out/steps.csv"
        wait_until(lambda: steps.exists() and "\n2," in steps.read_text(), 120, "the third round")
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        self.finish(process)
        self.assertLess(time.monotonic() - begin, 60)  # mpirun waits that long several times
        document = self.read_profile("out")
        self.assertEqual(document["stopped_by"], "interrupted")
        kept = sum(document["rounds"].values())
        self.assertGreaterEqual(kept, 2)
        self.assert_nothing_left()
        self.mpirun(*WORKLOAD, "--tolerance", "0.0001%", "--max-time", "6s", "--resume", "out")
        self.assertGreater(sum(self.read_profile("out")["rounds"].values()), kept)

    def test_probe_measures_all_reduces_between_the_machines(self):
        self.mpirun("probe", "--only", "collectives", "--max-time", "10s", "--no-store", "--out", "card",
                    "--master-addr", ADDRESSES[0])
        card = json.loads((self.folder / "card/machine.json").read_text())
        self.assertEqual([curve["where"] for curve in card["collectives"]], ["cluster"])
        # A full frame of 1514 bytes carries 1448 of payload.
        payload = 100e6 / 8 * 1448 / 1514
        self.assertAlmostEqual(card["collectives"][0]["fit"]["bytes_per_s"]["mean"] / payload, 1, delta=0.1)

    def test_run_profiles_the_users_program_on_both(self):
        if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
            self.skipTest("there is no python3-torch here")
        programs = SOURCE / "tests/hook/programs"
        data = self.folder / "data"
        subprocess.run([PYTHON, programs / "make_files.py", data, "--count", "1200", "--bytes", "16384"], check=True)
        self.mpirun("run", "--tolerance", "60%", "--max-time", "40s", "--no-store", "--python", PYTHON, "--out", "out",
                    "--conditions", "solo,cluster", "--master-addr", ADDRESSES[0], "--", str(programs / "plain.py"),
                    "--data", str(data))
        document = self.read_profile("out")
        self.assertEqual(document["cluster"]["nodes"], 2)
        self.assertEqual(set(document["conditions"]), {"solo", "cluster"})


if __name__ == "__main__":
    skip_without_a_lab()
    if not shutil.which("mpirun"):
        skip_all("mpirun is not installed")
    os.environ.pop("DISPLAY", None)
    unittest.main(verbosity=2)
