"""Folders of runs that were never run: steps, buckets and samples of known size, and the document that they add up to."""

import json
import pathlib
import random

SYNCHRONISED = {"node", "cluster", "warm", "cold"}
RUNGS = {"solo": 0.25, "crowd": 0.255, "node": 0.34, "cluster": 0.56, "warm": 0.64, "cold": 0.8}
STEPS = (
    "round,condition,block,rank,node,step,start_s,data_wait_s,copy_s,forward_s,backward_s,exposed_communication_s,"
    "optimizer_s,total_s,loss,counted,foreign_s,polluted\n"
)
BUCKETS = "round,condition,block,rank,step,bucket,bytes,ready_s,begin_s,end_s\n"
SAMPLES = (
    "round,condition,block,node,time_s,cpu_busy_s,disk_read_bytes,disk_written_bytes,network_received_bytes,"
    "network_sent_bytes,memory_used_bytes,page_cache_bytes,gpu_busy_share,gpu_memory_bytes\n"
)
BUCKET_BYTES = (2_000_000, 9_000_000, 6_000_000)


class MadeRun:
    """`clock_ahead_s`: how far the second machine's clock is ahead of the first one's."""

    def __init__(self, ranks=4, nodes=2, rounds=6, steps=5, clock_ahead_s=0.0, settle=2, seed=1):
        self.ranks, self.nodes, self.rounds, self.steps = ranks, nodes, rounds, steps
        self.settle = settle
        self.clock_ahead_s = clock_ahead_s
        self.random = random.Random(seed)
        self.sums = {rung: [0.0, 0] for rung in RUNGS}
        self.parts = {rung: [0.0] * 6 for rung in RUNGS}
        self.now_s = 1000.0

    def write(self, folder, golden):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "steps.csv", "w") as steps, open(folder / "buckets.csv", "w") as buckets, open(
            folder / "samples.csv", "w"
        ) as samples:
            steps.write(STEPS)
            buckets.write(BUCKETS)
            samples.write(SAMPLES)
            block = 0
            for number in range(-1, self.rounds):
                for rung in self.random.sample(list(RUNGS), len(RUNGS)):
                    self.block(number, rung, block, steps, buckets, samples)
                    block += 1
        (folder / "profile.json").write_text(json.dumps(self.document(golden)))
        return folder

    def block(self, number, rung, block, steps, buckets, samples):
        warm_up = number < 0
        total_steps = self.steps + self.settle
        begin_s = self.now_s
        ranks = [number % self.ranks if not warm_up else 0] if rung == "solo" else range(self.ranks)
        # Synchronised ranks agree on when a step ends; each has its own share of waiting in it.
        lengths = [RUNGS[rung] * self.random.uniform(0.97, 1.08) for _ in range(total_steps)]
        for rank in ranks:
            node = rank * self.nodes // self.ranks
            at = begin_s + (self.clock_ahead_s if node == 1 else 0.0)
            slow = 1.0 + 0.2 * (rank == self.ranks - 1)
            for step, length in enumerate(lengths):
                wait = {"warm": 0.06, "cold": 0.2}.get(rung, 0.0)
                copy = 0.004 if wait else 0.0
                forward, backward, optimizer = 0.07 * slow, 0.15 * slow, 0.0145
                if rung not in SYNCHRONISED:
                    forward, backward, optimizer = (round(part * length / RUNGS[rung], 9) for part in (forward, backward, optimizer))
                total = round(length if rung in SYNCHRONISED else forward + backward + optimizer, 9)
                exposed = round(total - wait - copy - forward - backward - optimizer, 9) if rung in SYNCHRONISED else 0.0
                parts = [wait, copy, forward, backward, exposed, optimizer]
                counted = not warm_up and step >= self.settle
                steps.write(
                    f"{'' if warm_up else number},{rung},{block},{rank},{node},{step},{at:.9f},"
                    + ",".join(f"{part:.9f}" for part in parts)
                    + f",{total:.9f},0.5,{int(counted)},0.000,0\n"
                )
                if rung in SYNCHRONISED:
                    self.buckets(number, rung, block, rank, step, wait + copy + forward, backward, total - optimizer, buckets)
                if counted:
                    self.sums[rung][0] += total
                    self.sums[rung][1] += 1
                    self.parts[rung] = [a + b for a, b in zip(self.parts[rung], parts)]
                at += total
        end_s = begin_s + sum(lengths) * 1.3
        for node in range(self.nodes):
            shift = self.clock_ahead_s if node == 1 else 0.0
            for i in range(5):
                t = begin_s + (end_s - begin_s) * i / 5
                round_text = "" if warm_up else number
                samples.write(
                    f"{round_text},{rung},{block},{node},{t + shift:.9f},{1.5 * t:.2f},{int(4e6 * t)},{int(2e4 * t)},"
                    f"{int(8e7 * t)},{int(8e7 * t)},{int(3.4e9)},{int(3.8e9)},,\n"
                )
        self.now_s = end_s

    def buckets(self, number, rung, block, rank, step, forward_end, backward, arrived, buckets):
        for bucket, size in enumerate(BUCKET_BYTES):
            ready = forward_end + backward * (bucket + 1) / len(BUCKET_BYTES)
            end = arrived - 0.03 * (len(BUCKET_BYTES) - 1 - bucket)
            round_text = "" if number < 0 else number
            buckets.write(
                f"{round_text},{rung},{block},{rank},{step},{bucket},{size},{ready:.9f},{ready + 0.0002:.9f},{max(end, ready + 0.0003):.9f}\n"
            )

    def document(self, golden):
        """The golden document with the means of these steps."""
        document = json.loads(pathlib.Path(golden).read_text())
        document["cluster"].update({"nodes": self.nodes, "devices_per_node": self.ranks // self.nodes, "emulated": self.clock_ahead_s == 0})
        names = ("data_wait_s", "copy_s", "forward_s", "backward_s", "exposed_communication_s", "optimizer_s")
        for rung, (total, count) in self.sums.items():
            mean = total / count
            condition = document["conditions"][rung]
            condition["step_time_s"] = {"mean": mean, "low": mean * 0.99, "high": mean * 1.01}
            condition["parts"] = dict(zip(names, (part / count for part in self.parts[rung])))
            condition["rounds"], condition["steps"] = self.rounds, self.rounds * self.steps
        document["rounds"]["kept"] = self.rounds
        return document
