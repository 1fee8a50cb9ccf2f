"""One rank of the same training in Python: PyTorch's DistributedDataParallel over Gloo. compare.py starts
it, and sends the number of steps of each block; the answer is each step's duration."""

import datetime
import json
import os
import sys
import time

import torch
import torch.distributed as dist
import torchvision
from torch.nn.parallel import DistributedDataParallel


def main():
    rank, world, store, batch, image_size = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], *map(int, sys.argv[4:6])
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[rank]})
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=world, timeout=datetime.timedelta(days=1)
    )
    torch.manual_seed(1)
    model = DistributedDataParallel(torchvision.models.resnet18())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loss_function = torch.nn.CrossEntropyLoss()
    torch.manual_seed(100 + rank)
    images = torch.randn(batch, 3, image_size, image_size)
    labels = torch.randint(0, 1000, (batch,))
    print("ready", flush=True)
    for line in sys.stdin:
        durations = []
        for _ in range(int(line)):
            begin = time.perf_counter()
            loss = loss_function(model(images), labels)
            loss.item()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            durations.append(time.perf_counter() - begin)
        print(json.dumps(durations), flush=True)


main()
