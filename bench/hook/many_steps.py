"""Trains next to nothing for many steps, a new DataLoader every epoch, and prints its memory, and that of the command
that watches it, on the way.

    many_steps.py STEPS...    after each of these steps: "memory STEP RANK_KB COMMAND_KB"
"""

import os
import sys

import torch
import torch.distributed as dist

EPOCH = 50  # steps


def resident_kb(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def main():
    told = [int(word) for word in sys.argv[1:]]
    torch.manual_seed(1)
    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.utils.data.TensorDataset(torch.randn(4 * EPOCH, 16), torch.randint(4, (4 * EPOCH,)))
    step = 0
    while step < told[-1]:
        for inputs, targets in torch.utils.data.DataLoader(data, batch_size=4, shuffle=True):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(inputs), targets).backward()
            optimizer.step()
            step += 1
            if step in told and dist.get_rank() == 0:
                print("memory", step, resident_kb(os.getpid()), resident_kb(os.getppid()), flush=True)


main()
