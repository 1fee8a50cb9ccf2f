"""A Slurm of one machine, for one test: its own configuration, key and ports on loopback; needs root.

Nothing of an installed Slurm or munge is used or changed. The daemons die with the test, however it ends.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
WITH_THIS_PROCESS = ["setpriv", "--pdeathsig", "KILL"]


def missing():
    """Why there can be none here; nothing where there can."""
    if os.geteuid() != 0:
        return "a Slurm of one's own needs root"
    absent = [name for name in (*DAEMONS, "srun", "sinfo", "setpriv") if not shutil.which(name, path=_path())]
    return f"{', '.join(absent)} is not installed" if absent else ""


def _path():
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def _free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


class Slurm:
    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="stallscope-slurm-")
        self.folder = pathlib.Path(self._folder.name)
        self._processes = []
        try:
            self._configure()
            self._start("munged", "-F", "--force", f"--key-file={self.folder}/key", f"--socket={self.folder}/munge",
                        f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                        f"--seed-file={self.folder}/seed")
            self._wait(lambda: (self.folder / "munge").exists(), "munged's socket")
            self._start("slurmctld", "-D", "-f", self.configuration)
            self._start("slurmd", "-D", "-f", self.configuration)
            self._wait(lambda: "idle" in subprocess.run(
                ["sinfo", "-h", "-o", "%t"], env=self.environment(), capture_output=True, text=True, check=False).stdout,
                "an idle node")
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._folder.cleanup()

    def environment(self, **extra):
        return {**os.environ, **extra, "SLURM_CONF": self.configuration, "PATH": _path()}

    def _configure(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "key").write_bytes(os.urandom(128))
        (self.folder / "key").chmod(0o400)
        control, node = _free_ports(2)
        host = socket.gethostname().split(".")[0]
        self.configuration = str(self.folder / "slurm.conf")
        pathlib.Path(self.configuration).write_text(f"""
ClusterName=stallscope
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={self.folder}/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
MpiDefault=none
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={max(2, os.cpu_count())} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
""")

    def _start(self, name, *arguments):
        log = open(self.folder / f"{name}.out", "w")
        with log:
            self._processes.append(subprocess.Popen(
                [*WITH_THIS_PROCESS, shutil.which(name, path=_path()), *arguments], env=self.environment(),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT))

    def _wait(self, condition, what, seconds=30):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if condition():
                return
            time.sleep(0.1)
        logs = "".join(f"\n--- {path.name}\n{path.read_text()[-1500:]}" for path in self.folder.glob("*.[lo]*"))
        raise AssertionError(f"{what} did not come within {seconds} s{logs}")
