"""Which files the program's loaders open: seen by Python's audit events, in this process and in its workers."""

import contextlib
import os
import sys

_NOT_DATA = (".py", ".pyc", ".pyi", ".so", ".json.tmp", ".pth")
_NOT_DATA_BELOW = ("/proc/", "/sys/", "/dev/")
# Mapped by half of all programs: nobody could evict these.
_SYSTEM_BELOW = ("/usr/lib", "/usr/share/locale/", "/usr/share/zoneinfo/", "/usr/share/icu/", "/usr/share/fonts/", "/etc/")
_WRITES = os.O_WRONLY | os.O_RDWR

_log = None  # descriptor of this process's list
_folder = None
_paused = False


def watch(folder, rank):
    """From now on, here and in all processes that are forked from here. Cannot be undone, so only for ladder runs."""
    global _folder
    _folder = os.path.join(folder, "opened-by-rank-%d" % rank)
    os.makedirs(_folder, exist_ok=True)
    _open_log()
    os.register_at_fork(after_in_child=_open_log)
    sys.addaudithook(_see)


def _open_log():
    global _log
    old, _log = _log, None
    if old is not None:
        os.close(old)
    path = os.path.join(_folder, str(os.getpid()))
    _log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


@contextlib.contextmanager
def our_own():
    """What is opened within is no reading of the program's."""
    global _paused
    _paused = True
    try:
        yield
    finally:
        _paused = False


def _see(event, args):
    if event != "open" or _log is None or _paused:
        return
    path, _, flags = args
    if isinstance(flags, int) and flags & _WRITES:
        return
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, str):
        path = os.fspath(path) if hasattr(path, "__fspath__") else None
    if not path or path.endswith(_NOT_DATA) or path.startswith(_NOT_DATA_BELOW):
        return
    try:
        os.write(_log, os.fsencode(os.path.abspath(path)) + b"\n")
    except OSError:
        pass


def _ours(path):
    """Libraries and our own lists are no data."""
    return path.startswith((os.path.join(sys.prefix, "lib"), os.path.join(sys.base_prefix, "lib"),
                            os.path.dirname(_folder) + os.sep))


class Watcher:
    """Reads what was opened since it was last asked."""

    def __init__(self):
        self._read = {}  # bytes of each list that have been read

    def take(self):
        """Paths of regular files, once for every time that one was opened."""
        return [path for _, path in self.take_with_pids()]

    def take_with_pids(self):
        """(process, path) likewise."""
        opened = []
        for name in os.listdir(_folder):
            path = os.path.join(_folder, name)
            with open(path, "rb") as file:
                file.seek(self._read.get(name, 0))
                data = file.read()
            end = data.rfind(b"\n") + 1
            self._read[name] = self._read.get(name, 0) + end
            opened += [(int(name), os.fsdecode(line)) for line in data[:end].splitlines()]
        return [(pid, path) for pid, path in opened if not _ours(path) and os.path.isfile(path)]


def held(pids):
    """Files that processes hold open or mapped: those that are opened once, or by other than Python's means."""
    found = set()
    for pid in pids:
        try:
            for entry in os.listdir("/proc/%d/fd" % pid):
                if _reads(pid, entry):
                    found.add(_readlink("/proc/%d/fd/%s" % (pid, entry)))
            rows = mappings(pid)
            programs = {path for path, _, _, rights in rows if "x" in rights}
            found |= {path for path, _, _, _ in rows} - programs
        except OSError:
            continue
    return {path for path in found
            if path and path.startswith("/") and not path.endswith(_NOT_DATA) and ".so." not in path
            and not path.startswith(_NOT_DATA_BELOW + _SYSTEM_BELOW) and not _ours(path)
            and os.path.isfile(path) and os.path.getsize(path) > 0}


def _reads(pid, descriptor):
    """Whether it cannot write: logs are no data."""
    try:
        with open("/proc/%d/fdinfo/%s" % (pid, descriptor)) as file:
            return not any(int(line.split()[1], 8) & _WRITES for line in file if line.startswith("flags:"))
    except (OSError, ValueError, IndexError):
        return False


def _readlink(path):
    try:
        return os.readlink(path)
    except OSError:
        return None


def mappings(pid):
    """(path, begin, end, rights) of every mapped part of a file; rights as "r-xp"."""
    rows = []
    with open("/proc/%d/maps" % pid) as file:
        for line in file:
            fields = line.rstrip("\n").split(None, 5)
            if len(fields) == 6 and fields[5].startswith("/"):
                begin, end = fields[0].split("-")
                rows.append((fields[5], int(begin, 16), int(end, 16), fields[1]))
    return rows
