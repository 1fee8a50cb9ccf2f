"""Two machines out of network namespaces; one of them, or the cable between them, fails."""

import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lab"))
from fault_support import FaultTest  # noqa: E402
from two_machines import ADDRESSES, TwoMachines, skip_without_a_lab  # noqa: E402
from support import SOURCE, STALLSCOPE, send_signal, wait_until  # noqa: E402

# 0.3 MB of gradients: some 30 ms on the wire at 100 Mbit.
WORKLOAD = ["profile", "--model", "mlp:layers=3,width=128", "--image-size", "16", "--batch", "4", "--no-store",
            "--nproc-per-node", "1", "--nnodes", "2", "--master-addr", ADDRESSES[0], "--master-port", "29500"]
ENDLESS = ["--tolerance", "0.0001%", "--max-time", "10m"]
PYTHON = "/usr/bin/python3"
CAUSE = "both commands end within 15 s with rank, step and cause, exit code 1; finished rounds are kept"


class MachineFaults(FaultTest):
    def setUp(self):
        super().setUp()
        self.machines = TwoMachines("100mbit")
        self.addCleanup(self.machines.close)

    def start_on(self, machine, *flags):
        arguments = [*WORKLOAD, "--node-rank", str(machine), *flags]
        return self.start(arguments, program=[*self.machines.on(machine), STALLSCOPE])

    def start_both(self, *flags):
        flags = flags or ENDLESS
        both = [self.start_on(0, "--out", self.out, *flags), self.start_on(1, *flags)]
        self.await_rounds(*both)
        return both

    def rank_of(self, command):
        """The rank process of one of the commands."""
        for pid in self.engine_processes():
            if f"\nPPid:\t{command.pid}\n" in pathlib.Path(f"/proc/{pid}/status").read_text():
                return pid
        raise AssertionError("the command has no rank")

    def link(self, state):
        self.machines.run(1, "ip", "link", "set", "lab0", state)

    def steps_made(self):
        return len((self.folder / self.out / "steps.csv").read_text().splitlines())

    def await_steps(self, seconds):
        before = self.steps_made()
        wait_until(lambda: self.steps_made() > before + 20, seconds, "more steps")

    def assert_both_resume(self):
        before = sum(self.read_profile(self.out)["rounds"].values())
        flags = ["--tolerance", "0.0001%", "--max-time", "6s"]
        both = [self.start_on(0, "--resume", self.out, *flags), self.start_on(1, *flags)]
        for process in both:
            result = self.finish(process)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(sum(self.read_profile(self.out)["rounds"].values()), before)

    def test_a_vanished_machine_ends_the_others_and_resume_goes_on(self):
        for _ in self.rungs():
            leader, other = self.start_both()
            begin = time.monotonic()
            # The cable first, so that nothing tells the peer of the end.
            self.link("down")
            rank = self.rank_of(other)
            send_signal(other.pid, signal.SIGKILL)
            send_signal(rank, signal.SIGKILL)
            result = self.finish_in_time(leader, begin)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, r"error: rank 1 on 10\.78\.0\.2 gave no sign of life for 9 s at step \d+")
            self.assert_rounds_kept("failed")
            self.link("up")
            self.assert_both_resume()
            self.record("machine gone (link down, then its ranks killed)", f"{CAUSE}; --resume goes on", result)

    def test_a_vanished_machine_ends_the_others_of_a_users_program(self):
        if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
            self.skipTest("there is no python3-torch here")
        program = ["--python", PYTHON, "--", str(SOURCE / "tests/hook/programs/plain.py"), "--samples", "64"]
        place = ["--nnodes", "2", "--master-addr", ADDRESSES[0], "--master-port", "29500"]
        for _ in self.rungs():
            leader, other = (self.start(
                ["run", *ENDLESS, "--no-store", *place, "--node-rank", str(machine), "--out", self.out, *program],
                program=[*self.machines.on(machine), STALLSCOPE], GLOO_SOCKET_IFNAME="lab0") for machine in (0, 1))
            self.await_rounds(leader, other)
            begin = time.monotonic()
            self.link("down")
            send_signal(other.pid, signal.SIGKILL)  # its watchdog ends its ranks
            result = self.finish_in_time(leader, begin)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, r"error: rank 1 on 10\.78\.0\.2 gave no sign of life for 9 s at step \d+")
            self.assert_rounds_kept("failed")
            self.record("machine gone while run profiles a program", CAUSE, result)
            self.link("up")

    def test_a_cut_cable_ends_both_sides(self):
        for _ in self.rungs():
            leader, other = self.start_both()
            begin = time.monotonic()
            self.link("down")
            results = [self.finish_in_time(leader, begin), self.finish_in_time(other, begin)]
            self.assertEqual([result.returncode for result in results], [1, 1])
            self.assertIn("rank 1 on 10.78.0.2 gave no sign of life", results[0].stderr)
            self.assertIn("rank 0 on 10.78.0.1 gave no sign of life", results[1].stderr)
            self.assert_rounds_kept("failed")
            self.record("link down for good", CAUSE, results[0])
            self.link("up")

    def test_a_killed_command_and_a_killed_rank_are_told_to_the_other_machine(self):
        for _ in self.rungs():
            leader, other = self.start_both()
            begin = time.monotonic()
            send_signal(self.rank_of(other), signal.SIGKILL)
            results = [self.finish_in_time(process, begin) for process in (leader, other)]
            for result in results:
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, r"error: rank 1 ended with signal 9 \(Killed\) at step \d+")
            self.assert_rounds_kept("failed")
            self.record("rank killed on another machine", f"{CAUSE} that the other machine saw", results[0])

    def test_a_cable_that_comes_back_is_not_called_dead(self):
        for _ in self.rungs():
            leader, other = self.start_both()
            begin = time.monotonic()
            self.link("down")
            time.sleep(3 + self.random.uniform(0, 2))
            self.link("up")
            self.await_steps(40)
            seconds = time.monotonic() - begin
            send_signal(leader.pid, signal.SIGTERM)
            results = [self.finish_in_time(process) for process in (leader, other)]
            self.assertEqual([result.returncode for result in results], [143, 143])
            self.assert_rounds_kept("interrupted")
            self.record("link down for 3 to 5 s and up again", "goes on", seconds=seconds, seen="more steps were made")

    def test_a_link_at_a_hundredth_of_its_rate_is_not_called_dead(self):
        for _ in self.rungs():
            both = self.start_both("--tolerance", "0.0001%", "--max-time", "25s")
            begin = time.monotonic()
            for machine in (0, 1):
                shaping = ["tbf", "rate", "1mbit", "burst", "256kb", "latency", "50ms"]
                self.machines.run(machine, "tc", "qdisc", "replace", "dev", "lab0", "root", *shaping)
            results = [self.finish(process, 100) for process in both]
            self.assertEqual([result.returncode for result in results], [0, 0], results)
            document = self.assert_rounds_kept("max-time")
            given_up = [one["what"] for one in document["findings"] if "the last round was given up" in one["what"]]
            # 25 s, the 8 s after which a block is given up, and the seconds of start and end.
            seconds = time.monotonic() - begin
            self.assertLess(seconds, 25 + 8 + 12)
            self.assert_nothing_left()
            seen = given_up[0] if given_up else "went on to --max-time"
            self.record("link at 1 % of its rate", "goes on, or ends at --max-time with a finding, exit code 0; "
                        "never called dead", seconds=seconds, seen=re.sub(r"^--max-time", "finding: --max-time", seen))
            for machine in (0, 1):
                self.machines.run(machine, "tc", "qdisc", "replace", "dev", "lab0", "root", "tbf", "rate", "100mbit",
                                  "burst", "256kb", "latency", "50ms")


if __name__ == "__main__":
    skip_without_a_lab()
    unittest.main(verbosity=2)
