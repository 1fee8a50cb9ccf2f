"""What a command could leave behind on a machine, and whether anything of it is new."""

import os
import pathlib
import tempfile

# Folders of tests that run beside this one.
OF_TESTS = ("stallscope-test-", "stallscope-slurm-")


def _names(folder, *prefixes):
    try:
        return {f"{folder}/{name}" for name in os.listdir(folder) if name.startswith(prefixes or ("",))}
    except OSError:
        return set()


def _cgroups():
    found = set()
    for folder, below, _ in os.walk("/sys/fs/cgroup"):
        found.update(f"{folder}/{name}" for name in below if name.startswith("stallscope"))
    return found


def _mounts():
    return {line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()}


def _temporary_folders():
    places = {tempfile.gettempdir(), "/tmp", "/var/tmp"}
    found = set().union(*(_names(place, "stallscope-") for place in places))
    return {path for path in found if not os.path.basename(path).startswith(OF_TESTS)}


def _is_of_a_living_process(path):
    """Things of a command that somebody else runs at the moment carry its number."""
    return any(part.isdigit() and os.path.exists(f"/proc/{part}") for part in os.path.basename(path).split("-"))


class MachineState:
    """Named namespaces, network interfaces, cgroups, mounts, shared memory and temporary folders. Namespaces
    without a name live in processes, which the tests find by a mark in their environment."""

    def __init__(self):
        self.things = self._look()

    @staticmethod
    def _look():
        return (
            _names("/run/netns") | _names("/sys/class/net") | _names("/dev/shm", "torch_", "stallscope", "sem.mp-")
            | _cgroups() | _mounts() | _temporary_folders()
        )

    def new_things(self):
        return {thing for thing in self._look() - self.things if not _is_of_a_living_process(thing)}
