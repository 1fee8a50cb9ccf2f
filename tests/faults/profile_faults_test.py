"""What happens when a run is ended from outside: the cause is said, finished rounds are kept, nothing is
left behind."""

import os
import pathlib
import pty
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from fault_support import FaultTest  # noqa: E402
from support import STALLSCOPE, ENDLESS, send_signal, wait_until  # noqa: E402

KEPT = "ends within 15 s; finished rounds are kept"


class Faults(FaultTest):
    def kill_a_rank(self, number):
        process = self.start_measuring()
        victim = self.random.choice(self.engine_processes())
        begin = time.monotonic()
        send_signal(victim, number)
        result = self.finish_in_time(process, begin)
        self.assertEqual(result.returncode, 1)
        self.assertIn("finished rounds are in", result.stderr)
        self.assert_rounds_kept("failed")
        return result

    def test_ctrl_c_keeps_the_finished_rounds(self):
        for _ in self.rungs():
            process = self.start_measuring()
            send_signal(process.pid, signal.SIGINT)
            result = self.finish_in_time(process)
            self.assertEqual(result.returncode, 130, result.stderr)
            self.assert_rounds_kept("interrupted")
            self.assertIn("solo", result.stdout)
            self.record("SIGINT (Ctrl-C)", f"{KEPT} and shown, exit code 130", result, seen="the ladder so far")

    def test_ctrl_c_twice_ends_within_the_block(self):
        for _ in self.rungs():
            # Blocks of a second, so that the second Ctrl-C comes within one.
            process = self.start_measuring("--batch", "64")
            begin = time.monotonic()
            send_signal(process.pid, signal.SIGINT)
            time.sleep(0.3)  # closer ones are one wish that came twice
            if process.poll() is None:
                send_signal(process.pid, signal.SIGINT)
            result = self.finish_in_time(process, begin)
            self.assertEqual(result.returncode, 130, result.stderr)
            self.assertLess(self.seconds, 5)
            self.assert_rounds_kept("interrupted")
            self.record("SIGINT twice", "the running block is not waited for, exit code 130", result,
                        seen="the ladder so far")

    def test_sigterm_keeps_the_finished_rounds_and_resume_goes_on(self):
        for _ in self.rungs():
            process = self.start_measuring()
            send_signal(process.pid, signal.SIGTERM)
            result = self.finish_in_time(process)
            self.assertEqual(result.returncode, 143, result.stderr)
            self.assert_rounds_kept("interrupted")
            self.assert_resumes()
            self.record("SIGTERM (preemption)", f"{KEPT}, exit code 143; --resume goes on", result,
                        seen="the ladder so far")

    def test_a_closed_terminal_keeps_the_finished_rounds(self):
        for _ in self.rungs():
            arguments = [STALLSCOPE, *ENDLESS, "--nproc-per-node", "2", "--no-store", "--out", self.out]
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(self.folder)
                os.execve(STALLSCOPE, arguments, self.environment)
            try:
                steps = self.folder / self.out / "steps.csv"
                os.set_blocking(terminal, False)

                def fourth_round():
                    try:
                        os.read(terminal, 1 << 16)  # a full terminal would stop the command
                    except BlockingIOError:
                        pass
                    return steps.exists() and "\n3," in steps.read_text()

                wait_until(fourth_round, 120, "the fourth round")
            finally:
                begin = time.monotonic()
                os.close(terminal)  # the kernel sends SIGHUP
            wait_until(lambda: os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT), 60, "its end")
            seconds = time.monotonic() - begin
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            self.assertEqual(status, 128 + signal.SIGHUP)
            self.assertLess(seconds, 15)
            self.assert_rounds_kept("interrupted")
            self.assert_nothing_left()
            self.record("terminal closed (SIGHUP)", f"{KEPT}, exit code 129", seconds=seconds, seen="exit code 129")

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
        for _ in self.rungs():
            result = self.kill_a_rank(signal.SIGKILL)
            self.assertRegex(result.stderr, r"error: rank \d ended with signal 9 \(Killed\) at step \d+")
            self.assert_resumes()
            self.record("rank killed (SIGKILL)", f"{KEPT}; rank, step and cause are said; --resume goes on", result)

    def test_a_crashed_rank_is_named_with_its_step(self):
        for _ in self.rungs():
            result = self.kill_a_rank(signal.SIGSEGV)
            self.assertRegex(result.stderr, r"error: rank \d ended with signal 11 .* at step \d+")
            self.record("rank crashed (SIGSEGV)", f"{KEPT}; rank, step and cause are said", result)

    def test_a_stopped_rank_is_noticed_by_its_silence(self):
        for _ in self.rungs():
            result = self.kill_a_rank(signal.SIGSTOP)
            self.assertRegex(result.stderr, r"error: rank \d has given no sign of life for 8 s at step \d+")
            self.record("rank stopped (SIGSTOP)", f"{KEPT}; rank, step and cause are said", result)

    def test_a_rank_that_is_stopped_while_it_loads_is_noticed(self):
        for _ in self.rungs():
            process = self.start([*ENDLESS, "--nproc-per-node", "2", "--out", "out"])
            wait_until(lambda: len(self.engine_processes()) == 2, 60, "the start of two ranks")
            begin = time.monotonic()
            send_signal(self.random.choice(self.engine_processes()), signal.SIGSTOP)
            result = self.finish_in_time(process, begin)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"error: rank \d has given no sign of life for 8 s before its first step")
            self.record("rank stopped while it loads (SIGSTOP)", "ends within 15 s; rank and cause are said", result)

    def test_ranks_die_with_a_killed_command(self):
        for _ in self.rungs():
            process = self.start_measuring()
            begin = time.monotonic()
            send_signal(process.pid, signal.SIGKILL)
            process.wait()
            self.assert_nothing_left()
            self.assert_resumed_after_a_kill()
            self.record("parent of the ranks killed (SIGKILL of the command)",
                        "ranks, folders and cgroups go with it; --resume goes on from the journal",
                        seconds=time.monotonic() - begin, seen="no process and no file left")

    def assert_resumed_after_a_kill(self):
        """No document was written, but each finished round is in the journal."""
        again = [*ENDLESS, "--nproc-per-node", "2", "--no-store", "--resume", self.out, "--max-time", "8s"]
        result = self.run_command(again)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(sum(self.read_profile(self.out)["rounds"].values()), 3)

    def test_a_full_disk_is_named_and_what_was_measured_is_shown(self):
        if os.geteuid() != 0:
            self.skipTest("a small disk needs a mount, and a mount needs root")
        for _ in self.rungs():
            (self.folder / "small").mkdir(exist_ok=True)
            flags = ["--nproc-per-node", "2", "--no-store", "--out", "small/out"]
            small_disk = "mount -t tmpfs -o size=200k tmpfs small && exec \"$0\" \"$@\""
            program = ["unshare", "--mount", "sh", "-c", small_disk, STALLSCOPE]
            result = self.finish(self.start([*ENDLESS, *flags], program=program), 60)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, "error: .*No space left on device")
            self.assertIn("--resume small/out", result.stderr)
            self.assertIn("communication", result.stdout)
            self.assert_nothing_left()
            self.record("disk full while writing", "said; what was measured is shown", result, seconds=0)

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
