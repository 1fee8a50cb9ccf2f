"""Gradient accumulation: all but the last backward of a step are under no_sync."""

import contextlib

import common
import torch
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel


def train(options, rank, device):
    loader = common.loader(common.samples(options), options)
    model = common.parallel(common.tiny_model(options.model), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = common.Losses(options, rank)
    batches, step = 0, 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, labels in loader:
            batches += 1
            last = batches % options.accumulate == 0
            local = isinstance(model, DistributedDataParallel) and not last
            with model.no_sync() if local else contextlib.nullcontext():
                loss = cross_entropy(model(inputs.to(device)), labels.to(device)) / options.accumulate
                loss.backward()
            losses.add(loss)
            if not last:
                continue
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.add_argument("--accumulate", type=int, default=3, metavar="N", help="batches per step")
    common.run(train, parser)
