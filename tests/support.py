"""What the script tests share: running the built programs, and looking for what they leave behind."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

SOURCE = pathlib.Path(os.environ.get("STALLSCOPE_SOURCE", pathlib.Path(__file__).parents[1]))
BUILD = pathlib.Path(os.environ.get("STALLSCOPE_BUILD", SOURCE / "build"))
STALLSCOPE = str(BUILD / "stallscope")

# A network whose step takes about a millisecond, and a stop rule that any machine meets: enough to see
# the whole way through, in seconds.
TINY = ["profile", "--model", "mlp:layers=3,width=64", "--batch", "4", "--tolerance", "60%", "--max-time", "60s"]
# The same without an end of its own, for tests that end it.
ENDLESS = ["profile", "--model", "mlp:layers=3,width=64", "--batch", "4", "--tolerance", "0.0001%", "--max-time", "10m"]

# Nothing of a launcher that may have started the tests reaches the command.
LAUNCHER_PREFIXES = ("OMPI_", "PMIX_", "SLURM_", "TORCHELASTIC_")
LAUNCHER_NAMES = {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "GROUP_RANK"}


def clean_environment(**extra):
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in LAUNCHER_NAMES and not name.startswith(LAUNCHER_PREFIXES)
    }
    return {**kept, **extra}


def processes_with(variable, value):
    """Ids of running processes that have this variable in their environment."""
    found = []
    wanted = f"{variable}={value}".encode()
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                status = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                if status != "Z":
                    found.append(int(entry.name))
        except OSError:
            continue
    return found


def wait_until(condition, seconds, what):
    """The condition's first true value. A generous limit: machines are slow at times."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen within {seconds} s")


def free_port():
    """A port of loopback that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def torchrun(folder, ranks=2):
    """What starts the built command on so many ranks. Debian's torchrun 1.13 starts what is no Python only with logs."""
    return ["/usr/bin/python3", "-m", "torch.distributed.run", "--nproc_per_node", str(ranks), "--no_python",
            "--master_port", free_port(), "--redirects", "1", "--tee", "1", "--log_dir", str(folder / "torchrun-logs"),
            STALLSCOPE]


class CommandTest(unittest.TestCase):
    """A test with a folder of its own; at its end nothing may be left of the commands that it ran."""

    def setUp(self):
        self._begin = time.monotonic()
        self._folder = tempfile.TemporaryDirectory(prefix="stallscope-test-")
        self.folder = pathlib.Path(self._folder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.mark = uuid.uuid4().hex
        self.environment = clean_environment(TMPDIR=str(self.temporary), STALLSCOPE_TEST_MARK=self.mark)
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()
        self._folder.cleanup()
        # Between the test's name and its result: which of a script's tests takes its time.
        print(f"{time.monotonic() - self._begin:.0f} s, ", end="", file=sys.stderr)

    def start(self, arguments, program=(STALLSCOPE,), **extra):
        process = subprocess.Popen(
            [*program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=self.folder,
            env={**self.environment, **extra},
        )
        self.started.append(process)
        return process

    def finish(self, process, seconds=240):
        out, err = process.communicate(timeout=seconds)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def run_command(self, arguments, seconds=240, program=(STALLSCOPE,), **extra):
        return self.finish(self.start(arguments, program, **extra), seconds)

    def read_profile(self, folder):
        return json.loads((self.folder / folder / "profile.json").read_text())

    def engine_processes(self):
        """Rank processes of this test's commands."""
        ranks = []
        for pid in processes_with("STALLSCOPE_TEST_MARK", self.mark):
            try:
                if os.readlink(f"/proc/{pid}/exe").endswith("stallscope-engine"):
                    ranks.append(pid)
            except OSError:
                continue
        return sorted(ranks)

    def assert_nothing_left(self):
        wait_until(
            lambda: not processes_with("STALLSCOPE_TEST_MARK", self.mark), 15, "the end of all processes"
        )
        wait_until(lambda: not list(self.temporary.iterdir()), 15, "the removal of all temporary files")

    def assert_one_error(self, result, what, fix, code=2):
        """One sentence, and one that says what to do."""
        self.assertEqual(result.returncode, code, result.stderr)
        lines = [line for line in result.stderr.splitlines() if line.startswith(("error:", "  try:"))]
        self.assertEqual(len(lines), 2, result.stderr)
        self.assertIn(what, lines[0])
        self.assertIn(fix, lines[1])


def send_signal(pid, number):
    os.kill(pid, number)


def skip_all(reason):
    """Ends a script so that ctest shows it as skipped."""
    print(f"skipped: {reason}")
    sys.exit(77)


__all__ = [name for name in dir() if not name.startswith("_")]
