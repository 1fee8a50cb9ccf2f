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
QUICK = ["--tolerance", "20%", "--max-time", "20s"]
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

    def one_command_per_machine(self, arguments, *program):
        place = ["--nproc-per-node", "1", "--nnodes", "2", "--master-port", "29500"]
        both = [self.start([*arguments, *place, "--node-rank", str(machine), "--out", "plain", *program],
                           program=[*self.machines.on(machine), STALLSCOPE], **self.variables) for machine in (0, 1)]
        for process in both:
            result = self.finish(process)
            self.assertEqual(result.returncode, 0, result.stderr)

    def assert_agree(self, here, there):
        # Intervals of eight rounds miss the truth one time in twenty each: a tenth of slack.
        self.assertLess(here["low"] * 0.9, there["high"] * 1.1, (here, there))
        self.assertLess(there["low"] * 0.9, here["high"] * 1.1, (here, there))

    def assert_ladders_agree(self):
        document, plain = (self.read_profile(folder) for folder in ("out", "plain"))
        for one in (document, plain):
            self.assertEqual((one["cluster"]["nodes"], one["cluster"]["devices_per_node"]), (2, 1))
            self.assertEqual(set(one["conditions"]), {"solo", "cluster"})
        self.assert_agree(*(one["stalls"]["network"]["seconds"] for one in (document, plain)))

    def test_profile_agrees_with_one_command_per_machine(self):
        self.mpirun(*WORKLOAD, *QUICK, "--out", "out")
        self.one_command_per_machine([*WORKLOAD, *QUICK])
        self.assert_ladders_agree()

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

    def test_probe_agrees_with_one_command_per_machine_and_with_the_wire(self):
        probe = ["probe", "--only", "collectives", "--max-time", "10s", "--no-store", "--master-addr", ADDRESSES[0]]
        self.mpirun(*probe, "--out", "out")
        self.one_command_per_machine(probe)
        rates = []
        for folder in ("out", "plain"):
            card = json.loads((self.folder / folder / "machine.json").read_text())
            self.assertEqual([curve["where"] for curve in card["collectives"]], ["cluster"])
            rates.append(card["collectives"][0]["fit"]["bytes_per_s"])
        self.assert_agree(*rates)
        # A full frame of 1514 bytes carries 1448 of payload.
        payload = 100e6 / 8 * 1448 / 1514
        self.assertAlmostEqual(rates[0]["mean"] / payload, 1, delta=0.1)

    def test_run_agrees_with_one_command_per_machine(self):
        if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
            self.skipTest("there is no python3-torch here")
        run = ["run", *QUICK, "--no-store", "--python", PYTHON, "--conditions", "solo,cluster", "--master-addr",
               ADDRESSES[0]]
        # 1 MiB of gradients again.
        program = ["--", str(SOURCE / "tests/hook/programs/plain.py"), "--width", "1024"]
        self.mpirun(*run, "--out", "out", *program)
        self.one_command_per_machine(run, *program)
        self.assert_ladders_agree()


if __name__ == "__main__":
    skip_without_a_lab()
    if not shutil.which("mpirun"):
        skip_all("mpirun is not installed")
    os.environ.pop("DISPLAY", None)
    unittest.main(verbosity=2)
