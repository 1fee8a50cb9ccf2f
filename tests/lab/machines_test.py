"""Two machines out of network namespaces, joined by a slow cable; one `profile` command on each."""

import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from two_machines import ADDRESSES, TwoMachines, skip_without_a_lab  # noqa: E402
from support import CommandTest, STALLSCOPE, wait_until  # noqa: E402

# 1 MB of gradients in three layers: 87 ms on the wire at 100 Mbit, for a step that computes for 2 ms.
FLAGS = ["profile", "--model", "mlp:layers=3,width=256", "--image-size", "16", "--batch", "4",
         "--nproc-per-node", "1", "--nnodes", "2", "--master-addr", ADDRESSES[0], "--master-port", "29500",
         "--tolerance", "20%", "--max-time", "60s"]


class Machines(CommandTest):
    def setUp(self):
        super().setUp()
        self.machines = TwoMachines("100mbit")
        self.addCleanup(self.machines.close)

    def start_on(self, machine, *flags):
        arguments = [*FLAGS, "--node-rank", str(machine), "--out", f"out{machine}", *flags]
        return self.start(arguments, program=[*self.machines.on(machine), STALLSCOPE])

    def test_the_slow_cable_shows_as_network_stall(self):
        both = [self.start_on(0), self.start_on(1)]
        for process in both:
            result = self.finish(process)
            self.assertEqual(result.returncode, 0, result.stderr)
        document = self.read_profile("out0")
        self.assertEqual(set(document["conditions"]), {"solo", "cluster"})
        network = document["stalls"]["network"]
        self.assertTrue(network["distinguishable"])
        # The wire alone takes payload x 1514/1448 / rate; nothing can be faster than that but what hides
        # behind 2 ms of computing and the shaper's burst of 256 kB.
        payload = document["workload"]["gradient_bytes"]
        wire = (payload * 1514 / 1448 - 256e3) * 8 / 100e6
        self.assertGreater(network["seconds"]["mean"], 0.5 * wire)
        self.assert_nothing_left()

    def test_the_interface_can_be_named(self):
        both = [self.start_on(machine, "--interface", "lab0") for machine in (0, 1)]
        for process in both:
            result = self.finish(process)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_meeting_listens_on_the_master_address_alone(self):
        leader = self.start_on(0)

        def listeners():
            table = subprocess.run(
                [*self.machines.on(0), "ss", "-Hltn"], capture_output=True, text=True, check=True
            ).stdout
            return [line.split()[3] for line in table.splitlines()]

        wait_until(lambda: f"{ADDRESSES[0]}:29500" in listeners(), 30, "the meeting")
        for place in listeners():
            self.assertTrue(place.startswith((ADDRESSES[0], "127.0.0.1")), place)
        leader.terminate()
        self.assertEqual(self.finish(leader).returncode, 143)
        self.assert_nothing_left()

    def test_a_killed_machine_ends_the_other(self):
        leader = self.start_on(0, "--tolerance", "0.001%", "--max-time", "10m")
        other = self.start_on(1, "--tolerance", "0.001%", "--max-time", "10m")
        steps = self.folder / "out0/steps.csv"
        wait_until(lambda: steps.exists() and "\n3," in steps.read_text(), 120, "the fourth round")
        other.kill()
        result = self.finish(leader, 60)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"error: the command of rank 1 on 10\.78\.0\.2 has ended at step \d+ without a word")
        self.assertGreaterEqual(self.read_profile("out0")["rounds"]["kept"], 2)
        self.assert_nothing_left()


if __name__ == "__main__":
    skip_without_a_lab()
    unittest.main(verbosity=2)
