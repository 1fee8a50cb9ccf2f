"""Trains ResNet-18 under `run --observe`, and takes the hook's wrappers off and puts them on again in alternating blocks.

    steps.py BLOCKS STEPS_OF_A_BLOCK    a line for each block on standard output: "block on|off SECONDS"

What stays in an "off" block: the note of the last gradient, one call per step.
"""

import inspect
import sys
import time

import torch
import torch.distributed as dist
import torchvision

BLOCKS, STEPS, WARM_UP, BATCH = int(sys.argv[1]), int(sys.argv[2]), 30, 8


class Hook:
    """Its wrappers, found by the functions that they wrap; heartbeats, too."""

    def __init__(self, *owners):
        self._places = [(owner, name, wrapper) for owner in owners for name, wrapper in list(vars(owner).items())
                        if inspect.isfunction(wrapper) and "stallscope_hook" in wrapper.__code__.co_filename]
        channel = sys.modules["stallscope_hook.channel"].Channel
        self._places.append((channel, "send", channel.send))

    def switch(self, on):
        for owner, name, wrapper in self._places:
            setattr(owner, name, wrapper if on else getattr(wrapper, "__wrapped__", lambda *_: None))


def main():
    torch.manual_seed(1)
    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(torchvision.models.resnet18(num_classes=10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, labels = torch.randn(8 * BATCH, 3, 64, 64), torch.randint(10, (8 * BATCH,))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=BATCH)
    hook = Hook(torch.utils.data.DataLoader, torch.autograd, torch.optim.SGD, torch.nn.parallel.DistributedDataParallel,
                dist)

    def endless():
        while True:
            yield from loader

    batches = {}

    def train(on, steps):
        hook.switch(on)
        source = batches.setdefault(on, endless())
        begin = time.monotonic()
        for _ in range(steps):
            inputs, targets = next(source)
            loss = torch.nn.functional.cross_entropy(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return time.monotonic() - begin

    for on in (True, False):
        train(on, WARM_UP)
    for block in range(BLOCKS):
        on = block % 4 in (0, 3)  # on, off, off, on: a drift hits both alike
        seconds = train(on, STEPS)
        if dist.get_rank() == 0:
            print("block", "on" if on else "off", seconds, flush=True)
    hook.switch(True)


main()
