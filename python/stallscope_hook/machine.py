"""Processor time, of this rank with its workers and of the whole machine, as the command's own ranks report it."""

import os

_TICK = os.sysconf("SC_CLK_TCK")


def rank_cpu_s(worker_pids):
    """Of this process, its ended children and its running workers."""
    times = os.times()
    total = times.user + times.system + times.children_user + times.children_system
    for pid in worker_pids:
        try:
            with open("/proc/%d/stat" % pid) as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / _TICK
        except (OSError, IndexError, ValueError):
            continue
    return total


def machine_load():
    """(busy, steal) seconds of all cores since the start of the machine."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = (int(field) for field in file.readline().split()[1:9])
    return (user + nice + system + irq + softirq) / _TICK, steal / _TICK
