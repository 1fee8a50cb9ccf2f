"""Nobody gets in, and nothing that is secret gets out: listening sockets, strangers, secrets, links, shells."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lab"))
from fault_support import FaultTest  # noqa: E402
from two_machines import ADDRESSES, TwoMachines  # noqa: E402
from support import ENDLESS, SOURCE, STALLSCOPE, processes_with, send_signal, wait_until  # noqa: E402

LISTENING = "0A"
PYTHON = "/usr/bin/python3"
SECRETS = {"AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI", "AWS_SESSION_TOKEN": "FwoGZXIvYXdzE", "HF_TOKEN": "hf_QmFzaWM",
           "WANDB_API_KEY": "5ecre7c0ffee", "MY_KEY": "k3yk3yk3y"}


def address_of(text):
    """An address of /proc/net/tcp: hexadecimal, 32-bit words in the byte order of the machine."""
    host, port = text.split(":")
    words = [bytes.fromhex(host[i:i + 8])[::-1] for i in range(0, len(host), 8)]
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    return socket.inet_ntop(family, b"".join(words)), int(port, 16)


def listeners_of(pid, kind="tcp"):
    """Where a process listens, out of the socket table of its network namespace."""
    inodes = set()
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            found = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry.path))
            if found:
                inodes.add(found[1])
        tables = [pathlib.Path(f"/proc/{pid}/net/{kind}{version}").read_text() for version in ("", "6")]
    except OSError:
        return set()  # it has ended meanwhile
    places = set()
    for line in "\n".join(tables).splitlines():
        words = line.split()
        if len(words) > 9 and words[9] in inodes and (words[3] == LISTENING or kind == "udp"):
            places.add(address_of(words[1]))
    return places


def all_listeners():
    """Where anybody on this machine listens: a quick look."""
    lines = "".join(pathlib.Path(f"/proc/net/tcp{version}").read_text() for version in ("", "6")).splitlines()
    return {address_of(line.split()[1]) for line in lines if line.split()[3] == LISTENING}


class DoorTest(FaultTest):
    def listeners(self, kind="tcp"):
        places = set()
        for pid in processes_with("STALLSCOPE_TEST_MARK", self.mark):
            places |= listeners_of(pid, kind)
        return places


class OneMachine(DoorTest):
    def test_on_one_machine_nothing_listens_beyond_loopback_and_no_secret_gets_out(self):
        before = all_listeners()
        process = self.start([*ENDLESS, "--nproc-per-node", "2", "--no-store", "--out", self.out], **SECRETS)
        seen, datagrams, looked = set(), set(), 0
        steps = self.folder / self.out / "steps.csv"
        while not (steps.exists() and "\n4," in steps.read_text()):
            self.assertIsNone(process.poll())
            # Gloo listens only until its ranks have met: whoever asks every process misses it.
            seen |= all_listeners() - before
            if time.monotonic() > looked + 0.1:
                datagrams |= self.listeners("udp")
                looked = time.monotonic()
            time.sleep(0.001)
        self.assertTrue(seen, "Gloo listens somewhere; the search must find it")
        self.assertEqual({host for host, _ in seen | datagrams} - {"127.0.0.1", "::1"}, set())
        send_signal(process.pid, signal.SIGTERM)
        result = self.finish(process)
        self.assertEqual(result.returncode, 143)
        shown = self.run_command(["report", self.out, "--html", "page.html", "--trace", "trace.json", "--csv", "all.csv"],
                                 **SECRETS)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        card = self.run_command(["probe", "--only", "decode", "--max-time", "2s", "--out", "card", "--no-store"], **SECRETS)
        self.assertEqual(card.returncode, 0, card.stderr)
        looked = self.assert_no_secret_in(result, shown, card)
        self.record("one machine: listening sockets", "nothing beyond loopback", seconds=0,
                    seen=f"{len(seen)} listening sockets of Gloo, all on 127.0.0.1")
        self.record("secrets in the environment", "never in a document, log or report", seconds=0,
                    seen=f"{len(SECRETS)} secrets looked for in {looked} files and outputs")

    def assert_no_secret_in(self, *results):
        """In what these said, and in all that is in the folder; how many texts that were."""
        texts = [one.stdout + one.stderr for one in results]
        texts += [file.read_text(errors="replace") for file in self.folder.rglob("*") if file.is_file()]
        self.assertGreater(len(texts), 8)
        for text in texts:
            for name, value in SECRETS.items():
                self.assertNotIn(value, text, name)
        return len(texts)

    def test_run_lets_no_secret_out(self):
        if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
            self.skipTest("there is no python3-torch here")
        program = ["--", str(SOURCE / "tests/hook/programs/plain.py"), "--samples", "64"]
        quick = ["--tolerance", "60%", "--max-time", "6s", "--no-store", "--python", PYTHON, "--out"]
        ran = self.run_command(["run", *quick, self.out, *program], **SECRETS)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        observed = self.run_command(["run", "--observe", *quick, "observed", *program, "--steps", "40"], **SECRETS)
        self.assertEqual(observed.returncode, 0, observed.stderr)
        # A program that fails is quoted: its last lines, and nothing of its surroundings.
        failed = self.run_command(["run", *quick, "failed", *program, "--data", "nowhere"], **SECRETS)
        self.assertEqual(failed.returncode, 1, failed.stderr)
        shown = self.run_command(["report", self.out, "--html", "page.html", "--csv", "all.csv"], **SECRETS)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        looked = self.assert_no_secret_in(ran, observed, failed, shown)
        self.record("secrets in the environment of run", "never in a document, log or report", seconds=0,
                    seen=f"{len(SECRETS)} secrets looked for in {looked} files and outputs")

    def test_names_are_never_read_by_a_shell(self):
        for name in ("out;touch pwned", "$(touch pwned)", "`touch pwned`"):
            result = self.run_command(["profile", "--model", "mlp:layers=2,width=8", "--batch", "2", "--nproc-per-node",
                                       "1", "--tolerance", "60%", "--max-time", "1s", "--no-store", "--out", name])
            self.assertIn(result.returncode, (0, 1), result.stderr)
            self.run_command(["dataset", "info", name])
        self.assertFalse((self.folder / "pwned").exists())
        # Nothing of ours can start one: no source but those of tests names it, save those that write completions
        # for shells, and they can start no program at all.
        for file in [*SOURCE.glob("stallscope/**/*.cpp"), *SOURCE.glob("app/**/*.cpp")]:
            if re.search(r"_test(_support)?\.", file.name):
                continue
            text = file.read_text()
            found = re.search(r"\b(popen|std::system|wordexp)\s*\(", text)
            self.assertIsNone(found, f"{file}: {found}")
            if re.search(r"\"(/bin/)?(ba)?sh\"", text):
                starts = re.search(r"stallscope/supervise/|\b(exec[vl]\w*|posix_spawnp?|fork)\s*\(", text)
                self.assertIsNone(starts, f"{file} names a shell: {starts}")
        self.record("names with shell commands in them", "no shell is given a user's string", seconds=0,
                    seen="nothing was run")


class BetweenMachines(DoorTest):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("network namespaces need root")
        self.machines = TwoMachines()
        self.addCleanup(self.machines.close)

    def start_on(self, machine, *flags):
        place = ["--nproc-per-node", "1", "--nnodes", "2", "--master-addr", ADDRESSES[0], "--master-port", "29500"]
        arguments = [*ENDLESS, *place, "--no-store", "--node-rank", str(machine), *flags]
        return self.start(arguments, program=[*self.machines.on(machine), STALLSCOPE])

    def strangers(self, places, *texts):
        """Connections from the other machine, held open, that say each of these."""
        script = "import socket, sys, time\nheld = []\n"
        for host, port in places:
            for text in texts:
                script += f"held.append(socket.create_connection(({host!r}, {port}), 5)); held[-1].sendall({text!r})\n"
        script += "print('there', flush=True)\ntime.sleep(600)\n"
        process = subprocess.Popen([*self.machines.on(1), sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "there\n", "the strangers were let in to try")

    def test_between_machines_strangers_delay_nothing_and_the_meeting_closes(self):
        begin = time.monotonic()
        leader = self.start_on(0, "--out", self.out)
        meeting = (ADDRESSES[0], 29500)
        wait_until(lambda: meeting in self.listeners(), 30, "the meeting")
        rubbish = (b"", b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 64, b"stallscope-meeting/1\nset")
        # The watch of the machines listens too until they have come.
        self.strangers(self.listeners() - {("127.0.0.1", 0)}, *rubbish)
        other = self.start_on(1)
        self.await_rounds(leader, other)
        started = time.monotonic() - begin
        during = self.listeners()
        self.assertNotIn(meeting, during, "once the ranks have met, nobody needs the meeting")
        self.assertEqual({host for host, _ in during} - {*ADDRESSES, "127.0.0.1"}, set())
        # Gloo and the watch close their doors when all have come: there is nothing left to knock at.
        self.assertEqual([place for place in during if place[0] in ADDRESSES], [])
        steps = self.folder / self.out / "steps.csv"
        lines = len(steps.read_text().splitlines())
        wait_until(lambda: len(steps.read_text().splitlines()) > lines + 40, 30, "more steps")
        send_signal(leader.pid, signal.SIGTERM)
        results = [self.finish(process) for process in (leader, other)]
        self.assertEqual([result.returncode for result in results], [143, 143], results)
        self.assert_rounds_kept("interrupted")
        self.record("strangers at the ports between machines",
                    "they delay the start by 15 s at most and disturb no measurement", seconds=started,
                    seen=f"four rounds were done {started:.0f} s after the start; nothing listened any more by then")


if __name__ == "__main__":
    unittest.main(verbosity=2)
