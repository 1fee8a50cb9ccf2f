#!/usr/bin/python3
"""How long `stallscope --version` and `--help` take, and how much memory: medians of 100 runs each."""

import os
import pathlib
import statistics
import time

STALLSCOPE = str(pathlib.Path(__file__).parents[2] / "build" / "stallscope")
RUNS = 100


def once(flag):
    begin = time.perf_counter()
    null = os.open(os.devnull, os.O_WRONLY)
    pid = os.posix_spawn(STALLSCOPE, [STALLSCOPE, flag], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    _, status, usage = os.wait4(pid, 0)
    os.close(null)
    assert status == 0
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


for flag in ("--version", "--help"):
    runs = [once(flag) for _ in range(RUNS)]
    milliseconds = statistics.median(run[0] for run in runs) * 1e3
    megabytes = max(run[1] for run in runs)
    print(f"{flag}: {milliseconds:.1f} ms (median of {RUNS}), at most {megabytes:.1f} MB")
