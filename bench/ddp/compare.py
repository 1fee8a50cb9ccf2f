#!/usr/bin/python3
"""Our engine against PyTorch's DistributedDataParallel: ResNet-18 on two ranks, both sides in one run.

Both jobs stay up, each rank on its core with one thread, Gloo over loopback. In each round the two sides
take turns, in random order; the engine's turn is on-off-off-on or off-on-on-off (recording), so that drift
hits all alike. A ratio is the geometric mean of the rounds' ratios without the outer tenth on either side
(other work on the machine comes in bursts), with a 95 % interval from a bootstrap over rounds. Ends when the
intervals are narrow enough, or after --max-time.

    bench/ddp/compare.py [--max-time 900] [--rounds 20] [--json FILE]
"""

import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
ENGINE = HERE.parents[1] / "build" / "stallscope-engine"
IMAGE_SIZE, BATCH, RANKS = 64, 8, 2
PYTHON_STEPS, ENGINE_STEPS = 6, 3  # per block; the first step of a turn is run before, and not counted
TRIMMED = 0.1
SPEED_HALF_WIDTH, RECORDING_HALF_WIDTH = 0.02, 0.015
RESAMPLES = 2000


class PythonJob:
    def __init__(self, folder):
        self.ranks = [
            subprocess.Popen(
                ["/usr/bin/python3", str(HERE / "python_rank.py"), str(rank), str(RANKS), f"{folder}/python-store",
                 str(BATCH), str(IMAGE_SIZE)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
            for rank in range(RANKS)
        ]
        for rank in self.ranks:
            assert rank.stdout.readline() == "ready\n"

    def run(self, steps):
        for rank in self.ranks:
            rank.stdin.write(f"{steps}\n")
            rank.stdin.flush()
        return [json.loads(rank.stdout.readline()) for rank in self.ranks]

    def close(self):
        for rank in self.ranks:
            rank.stdin.close()
        for rank in self.ranks:
            rank.wait()


class EngineJob:
    """Speaks the line protocol of the rank processes, as `stallscope profile` does."""

    def __init__(self, folder):
        self.ranks, self.events = [], []
        cores = sorted(os.sched_getaffinity(0))
        for rank in range(RANKS):
            reader, writer = os.pipe()

            def prepare(writer=writer, rank=rank):
                os.dup2(writer, 3)
                os.set_inheritable(3, True)
                os.sched_setaffinity(0, {cores[rank]})

            process = subprocess.Popen(
                [str(ENGINE), "--rank"], stdin=subprocess.PIPE, text=True, close_fds=False, preexec_fn=prepare,
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
            os.close(writer)
            self.ranks.append(process)
            self.events.append(os.fdopen(reader))
            training = {
                "model": "resnet18", "image_size": IMAGE_SIZE,
                "batch": BATCH, "accumulate": 1, "optimizer": "sgd", "dtype": "fp32", "bucket": "25MiB",
                "broadcast_buffers": True, "seed": 1,
            }
            config = {
                "rank": rank, "world_size": RANKS, "local_rank": rank, "node": 0, "nodes": 1,
                "devices_per_node": RANKS, "interface": "", "address": "127.0.0.1", "training": training,
                "meeting": {"kind": 0, "file": f"{folder}/engine-store", "host": "", "port": 0, "timeout_s": 60},
            }
            process.stdin.write(json.dumps(config) + "\n")
            process.stdin.flush()
        for rank in range(RANKS):
            self.await_event(rank, "ready")

    def await_event(self, rank, kind):
        for line in self.events[rank]:
            event = json.loads(line)
            assert event["event"] != "failed", event
            if event["event"] == kind:
                return event
        raise SystemExit(f"engine rank {rank} ended")

    def run(self, steps, record):
        block = {"ranks": list(range(RANKS)), "sync": 1, "data": 0, "steps": steps, "record": record}
        self.ranks[0].stdin.write(json.dumps({"order": "block", "block": block}) + "\n")
        self.ranks[0].stdin.flush()
        return self.await_event(0, "block")["ranks"]

    def close(self):
        self.ranks[0].stdin.write('{"order": "stop", "exit_code": 0}\n')
        self.ranks[0].stdin.flush()
        for rank in self.ranks:
            rank.wait()


def mean_step(durations_by_rank):
    return statistics.fmean(statistics.fmean(durations) for durations in durations_by_rank)


def trimmed_mean(values):
    values = sorted(values)
    cut = int(TRIMMED * len(values))
    return statistics.fmean(values[cut : len(values) - cut])


def ratio_interval(numerators, denominators, generator):
    logs = [math.log(a / b) for a, b in zip(numerators, denominators)]
    means = sorted(trimmed_mean(generator.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
    return tuple(math.exp(value) for value in (trimmed_mean(logs), low, high))


def describe(name, interval, wanted):
    mean, low, high = interval
    return f"{name}: {mean:.3f}x ({low:.3f} to {high:.3f}, half-width {100 * (high - low) / 2:.1f} %; {wanted})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-time", type=float, default=900, help="seconds (default 900)")
    parser.add_argument("--rounds", type=int, default=20, help="at least so many (default 20)")
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    generator = random.Random(1)
    times = {"python": [], "engine": [], "unrecorded": []}
    recording, recorded_time = 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        python, engine = PythonJob(folder), EngineJob(folder)

        def python_turn():
            python.run(1)
            times["python"].append(mean_step(python.run(PYTHON_STEPS)))

        def engine_turn():
            nonlocal recording, recorded_time
            engine.run(1, True)
            first = generator.random() < 0.5
            blocks = {True: [], False: []}
            for record in (first, not first, not first, first):
                ranks = engine.run(ENGINE_STEPS, record)
                blocks[record].append(mean_step([[step["total_s"] for step in rank["steps"]] for rank in ranks]))
                if record:
                    recording += sum(rank["recording_s"] for rank in ranks)
                    recorded_time += sum(step["total_s"] for rank in ranks for step in rank["steps"])
            times["engine"].append(statistics.fmean(blocks[True]))
            times["unrecorded"].append(statistics.fmean(blocks[False]))

        turns = [python_turn, engine_turn]
        for turn in turns * 2:  # warm up: buckets are rebuilt, allocators filled
            turn()
        for values in times.values():
            values.clear()
        recording, recorded_time = 0.0, 0.0
        begin = time.monotonic()
        while True:
            generator.shuffle(turns)
            for turn in turns:
                turn()
            rounds = len(times["python"])
            if rounds < options.rounds or rounds % 5 != 0:
                continue
            speed = ratio_interval(times["python"], times["engine"], generator)
            record = ratio_interval(times["unrecorded"], times["engine"], generator)
            narrow = (speed[2] - speed[1]) / 2 <= SPEED_HALF_WIDTH and (
                record[2] - record[1]) / 2 <= RECORDING_HALF_WIDTH
            elapsed = time.monotonic() - begin
            print(f"{rounds} rounds, {elapsed:.0f} s: engine {speed[0]:.3f}x, recording {record[0]:.3f}x", file=sys.stderr)
            if narrow or elapsed > options.max_time:
                break
        python.close()
        engine.close()
    print(f"ResNet-18, {IMAGE_SIZE} px, batch {BATCH}, {RANKS} ranks, {rounds} rounds")
    print(f"mean step: Python DDP {1e3 * statistics.fmean(times['python']):.1f} ms, "
          f"engine {1e3 * statistics.fmean(times['engine']):.1f} ms")
    print(describe("steps/s, engine to Python DDP", speed, "wanted: interval reaches 1.0 within 2 %"))
    print(describe("steps/s, recording on to off", record, "wanted: 0.99 or better within 1.5 %"))
    print(f"the recording's own calls: {100 * recording / recorded_time:.4f} % of step time (wanted: at most 0.5 %)")
    if options.json:
        figures = {"rounds": rounds, "speed": speed, "recording": record, "own_calls": recording / recorded_time}
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


main()
