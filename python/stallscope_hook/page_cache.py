"""Evicts files from memory, and finds out afterwards what a block really read from the disk."""

import ctypes
import mmap
import os
import struct

from . import opened_files

_REMOTE = ("nfs", "nfs4", "cifs", "smb3", "lustre", "ceph", "gpfs", "beegfs", "9p", "afs", "orangefs")
_MEMORY = ("tmpfs", "ramfs")
_DONTNEED = 4  # MADV_DONTNEED
_PROT_READ, _MAP_SHARED, _MAP_FAILED = 1, 1, ctypes.c_void_p(-1).value
_PAGE = mmap.PAGESIZE
# Of an entry in /proc/PID/pagemap.
_PRESENT, _SWAPPED, _OF_FILE = 1 << 63, 1 << 62, 1 << 61
# As the command's own engine asks for: the rest is pages that a neighbour touched.
COLD_SHARE = 0.98
WARM_SHARE = 0.01
# The least that counts as reading at all: a program's own odd page is not the data.
_NOISE_BYTES = 256 * 1024
_LOWEST_BIT = bytes(value & 1 for value in range(256))  # of mincore's answer; the others are undefined

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_libc.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)


@opened_files.our_own()
def evict(paths):
    """Writes back, unmaps here, and drops the pages. Workers must be gone: what they map cannot be dropped."""
    wanted = set(paths)
    for path, begin, end, rights in opened_files.mappings(os.getpid()):
        if path in wanted:
            for first, last in _untouched(begin, end) if rights.endswith("p") else [(begin, end)]:
                _libc.madvise(first, last - first, _DONTNEED)
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


def _untouched(begin, end):
    """Parts of a private mapping (as torch.from_file makes) without the pages that were written into: these are only
    there, and must stay."""
    try:
        with open("/proc/self/pagemap", "rb") as file:
            file.seek(begin // _PAGE * 8)
            entries = struct.unpack("=%dQ" % ((end - begin) // _PAGE), file.read((end - begin) // _PAGE * 8))
    except (OSError, struct.error):
        return []
    parts, start = [], None
    for place, entry in enumerate(entries):
        written = entry & _SWAPPED or (entry & _PRESENT and not entry & _OF_FILE)
        if not written and start is None:
            start = place
        if written and start is not None:
            parts.append((begin + start * _PAGE, begin + place * _PAGE))
            start = None
    return parts + ([(begin + start * _PAGE, end)] if start is not None else [])


@opened_files.our_own()
def resident_bytes(paths):
    """Of these files, in memory; nothing where the kernel does not tell the truth: files that we may not write."""
    total = 0
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            continue  # gone since
        try:
            status = os.fstat(descriptor)
            if os.geteuid() not in (0, status.st_uid) and not os.access(path, os.W_OK):
                return None
            if status.st_size > 0:
                total += _resident(descriptor, status.st_size)
        except OSError:
            return None
        finally:
            os.close(descriptor)
    return total


def _resident(descriptor, size):
    address = _libc.mmap(None, size, _PROT_READ, _MAP_SHARED, descriptor, 0)
    if address == _MAP_FAILED:
        raise OSError(ctypes.get_errno(), "mmap")
    try:
        pages = ctypes.create_string_buffer((size + _PAGE - 1) // _PAGE)
        if _libc.mincore(address, size, pages) != 0:
            raise OSError(ctypes.get_errno(), "mincore")
        return _PAGE * pages.raw.translate(_LOWEST_BIT).count(1)
    finally:
        _libc.munmap(address, size)


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


class Evidence:
    """What is known of a block's reading, in bytes."""

    def __init__(self):
        self.opened = 0  # sizes of the files that it opened, and read whole
        self.in_parts = False  # nothing but files that are mapped or stay open
        self.fetched = None  # from the disk, by this rank and its loader's workers
        self.fetched_here = None  # by all ranks of this machine
        self.before = None  # of its files, in memory when it began
        self.after = None  # likewise when it ended
        self.reference = None  # what an earlier cold block fetched


def judge(cold, paths, evidence):
    """(state, verified, reason, worth_a_retry) of a block."""
    if not paths:
        return "in memory", not cold, "the program's loaders read no file: its data is made or kept in memory", False
    kind = file_system(next(iter(paths)))
    if kind in _MEMORY:
        return "in memory", not cold, "the files are on %s, which is memory" % kind, False
    if evidence.fetched is None:
        return "unknown", False, "this kernel does not tell what a process fetched (/proc/PID/io)", False
    if kind in _REMOTE or kind.startswith("fuse"):
        return ("client-cold" if cold else "warm"), not cold, "on %s the server's memory is out of sight" % kind, False
    reason = _why_not_cold(evidence) if cold else _why_not_warm(evidence)
    return "mixed" if reason else "cold" if cold else "warm", not reason, reason, True


def _why_not_cold(evidence):
    if evidence.before is not None and evidence.after is not None:
        # Holds for whole files, parts of files, and files that several samples or ranks share.
        came = min(evidence.fetched_here, evidence.after - evidence.before)
        if evidence.after > 0 and came >= COLD_SHARE * evidence.after:
            return ""
        return "%d of %d bytes in memory came from the disk in the block, %d %% are needed" % (
            max(0, came), evidence.after, 100 * COLD_SHARE)
    if evidence.in_parts:
        good = evidence.fetched > _NOISE_BYTES
        return "" if good else "nothing was fetched from the disk although the files had been evicted"
    if evidence.fetched >= COLD_SHARE * evidence.opened:
        return ""
    return "%d of %d bytes came from the disk, %d %% are needed" % (
        evidence.fetched, evidence.opened, 100 * COLD_SHARE)


def _why_not_warm(evidence):
    measure = max(evidence.opened, evidence.reference or 0)
    least = _NOISE_BYTES if evidence.in_parts or not measure else 0
    if evidence.after:
        least = min(least, evidence.after // 10)  # of a small file, less than the whole is little
    if evidence.fetched <= max(WARM_SHARE * measure, least):
        return ""
    return "%d bytes came from the disk, at most %d %% of %d may" % (evidence.fetched, 100 * WARM_SHARE, measure)
