"""What happens when a run is ended from outside: the cause is said, finished rounds are kept, nothing is
left behind."""

import os
import pathlib
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import STALLSCOPE, CommandTest, ENDLESS, send_signal, wait_until  # noqa: E402

# What the command promises, from the fault to its end.
SECONDS_TO_END = 15


class Faults(CommandTest):
    def start_measuring(self, *flags):
        """A run that has finished at least three rounds."""
        process = self.start([*ENDLESS, "--nproc-per-node", "2", "--out", "out", *flags])
        steps = self.folder / "out/steps.csv"

        def rounds():
            if process.poll() is not None:
                raise AssertionError(process.communicate())
            if not steps.exists():
                return False
            return any(line.startswith("3,") for line in steps.read_text().splitlines())

        wait_until(rounds, 120, "the fourth round")
        return process

    def finish_in_time(self, process):
        begin = time.monotonic()
        result = self.finish(process, 60)
        self.assertLess(time.monotonic() - begin, SECONDS_TO_END)
        self.assert_nothing_left()
        return result

    def assert_rounds_kept(self, stopped_by):
        document = self.read_profile("out")
        self.assertGreaterEqual(document["rounds"]["kept"] + document["rounds"]["dropped"], 3)
        self.assertEqual(document["stopped_by"], stopped_by)

    def test_ctrl_c_keeps_the_finished_rounds(self):
        process = self.start_measuring()
        send_signal(process.pid, signal.SIGINT)
        result = self.finish_in_time(process)
        self.assertEqual(result.returncode, 130, result.stderr)
        self.assert_rounds_kept("interrupted")
        self.assertIn("solo", result.stdout)

    def test_sigterm_keeps_the_finished_rounds(self):
        process = self.start_measuring()
        send_signal(process.pid, signal.SIGTERM)
        result = self.finish_in_time(process)
        self.assertEqual(result.returncode, 143, result.stderr)
        self.assert_rounds_kept("interrupted")

    def test_ctrl_c_before_the_first_round_ends_at_once(self):
        process = self.start([*ENDLESS, "--nproc-per-node", "2", "--out", "out"])
        wait_until(lambda: len(self.engine_processes()) == 2, 60, "the start of two ranks")
        send_signal(process.pid, signal.SIGINT)
        self.assertEqual(self.finish_in_time(process).returncode, 130)

    def test_ctrl_c_while_the_master_is_searched_ends_at_once(self):
        flags = ["--nnodes", "2", "--node-rank", "1", "--master-addr", "127.0.0.1", "--master-port", "9"]
        process = self.start([*ENDLESS, *flags, "--join-timeout", "10m"])
        time.sleep(1)
        send_signal(process.pid, signal.SIGINT)
        self.assertEqual(self.finish_in_time(process).returncode, 130)

    def test_a_killed_rank_is_named_with_its_step(self):
        process = self.start_measuring()
        send_signal(self.engine_processes()[-1], signal.SIGKILL)
        result = self.finish_in_time(process)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"error: rank \d ended with signal 9 \(Killed\) at step \d+")
        self.assertIn("finished rounds are in", result.stderr)
        self.assert_rounds_kept("failed")

    def test_a_stopped_rank_is_noticed_by_its_silence(self):
        process = self.start_measuring()
        send_signal(self.engine_processes()[-1], signal.SIGSTOP)
        result = self.finish_in_time(process)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"error: rank \d has given no sign of life for 8 s at step \d+")
        self.assert_rounds_kept("failed")

    def test_ranks_die_with_a_killed_command(self):
        process = self.start_measuring()
        send_signal(process.pid, signal.SIGKILL)
        process.wait()
        self.assert_nothing_left()

    def test_a_full_disk_is_named_and_what_was_measured_is_shown(self):
        if os.geteuid() != 0:
            self.skipTest("a small disk needs a mount, and a mount needs root")
        (self.folder / "small").mkdir()
        flags = ["--nproc-per-node", "2", "--no-store", "--out", "small/out"]
        small_disk = "mount -t tmpfs -o size=200k tmpfs small && exec \"$0\" \"$@\""
        process = self.start([*ENDLESS, *flags], program=["unshare", "--mount", "sh", "-c", small_disk, STALLSCOPE])
        result = self.finish(process, 60)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, "error: .*No space left on device")
        self.assertIn("--resume small/out", result.stderr)
        self.assertIn("communication", result.stdout)
        self.assert_nothing_left()

    def test_an_engine_that_cannot_start_is_named(self):
        fake = self.folder / "engine"
        fake.write_text("#!/bin/sh\necho 'libtorch.so.1.13: cannot open shared object file' >&2\nexit 127\n")
        fake.chmod(0o755)
        result = self.finish_in_time(self.start([*ENDLESS, "--out", "out"], STALLSCOPE_ENGINE=str(fake)))
        self.assertEqual(result.returncode, 1)
        self.assertIn("exit code 127", result.stderr)
        self.assertIn("cannot open shared object file", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
