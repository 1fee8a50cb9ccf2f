"""Evicts files from memory, and finds out afterwards what a block really read from the disk."""

import ctypes
import os

from . import opened_files

_REMOTE = ("nfs", "nfs4", "cifs", "smb3", "lustre", "ceph", "gpfs", "beegfs", "9p", "afs", "orangefs")
_MEMORY = ("tmpfs", "ramfs")
_DONTNEED = 4  # MADV_DONTNEED
# As the command's own engine asks for: the rest is pages that a neighbour touched.
COLD_SHARE = 0.98
WARM_SHARE = 0.01
# The least that counts as reading at all: a program's own odd page is not the data.
_NOISE_BYTES = 256 * 1024


def evict(paths):
    """Writes back, unmaps here, and drops the pages. Workers must be gone: what they map cannot be dropped."""
    wanted = set(paths)
    libc = ctypes.CDLL(None, use_errno=True)
    for path, begin, end, rights in opened_files.mappings(os.getpid()):
        # What was written into a private mapping is only there.
        if path in wanted and not (rights.endswith("p") and "w" in rights):
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _DONTNEED)
    for path in wanted:
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            os.fdatasync(descriptor)  # unwritten pages cannot be dropped
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        except OSError:
            pass
        finally:
            os.close(descriptor)


def device_bytes(pid):
    """Fetched from block devices by this process so far; nothing where the kernel does not say."""
    try:
        with open("/proc/%d/io" % pid) as file:
            for line in file:
                if line.startswith("read_bytes: "):
                    return int(line.split()[1])
    except OSError:
        pass
    return None


def file_system(path):
    """Of the longest mount point above the path."""
    best, kind = "", ""
    with open("/proc/self/mountinfo") as file:
        for line in file:
            left, right = line.split(" - ", 1)
            mount = left.split()[4].replace("\\040", " ")
            inside = path == mount or path.startswith(mount.rstrip("/") + "/")
            if inside and len(mount) >= len(best):
                best, kind = mount, right.split()[0]
    return kind


def judge(cold, paths, file_bytes, fetched, mapped, reference_bytes):
    """(state, verified, reason, worth_a_retry) of a block.

    `file_bytes` is the size of the files that it opened; a mapped file, or one that stays open, is read in parts:
    `mapped` says that such were there, and then `reference_bytes`, what an earlier cold block fetched, is the measure.
    """
    if not paths:
        return "in memory", not cold, "the program's loaders read no file: its data is made or kept in memory", False
    kind = file_system(next(iter(paths)))
    if kind in _MEMORY:
        return "in memory", not cold, "the files are on %s, which is memory" % kind, False
    if fetched is None:
        return "unknown", False, "this kernel does not tell what a process fetched (/proc/PID/io)", False
    remote = kind in _REMOTE or kind.startswith("fuse")
    if remote:
        return ("client-cold" if cold else "warm"), not cold, "on %s the server's memory is out of sight" % kind, False
    if cold:
        if mapped:
            good = fetched > _NOISE_BYTES
            reason = "nothing was fetched from the disk although the files had been evicted"
        else:
            good = fetched >= COLD_SHARE * file_bytes
            reason = "%d of %d bytes came from the disk, %d %% are needed" % (fetched, file_bytes, 100 * COLD_SHARE)
        return ("cold" if good else "mixed"), good, "" if good else reason, True
    measure = max(file_bytes if not mapped else 0, reference_bytes or 0)
    good = fetched <= max(WARM_SHARE * measure, _NOISE_BYTES if mapped or not measure else 0)
    reason = "%d bytes came from the disk, at most %d %% of %d may" % (fetched, 100 * WARM_SHARE, measure)
    return ("warm" if good else "mixed"), good, "" if good else reason, True
