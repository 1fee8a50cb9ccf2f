"""The plain loop, with trouble before a backward pass: it raises, hangs, exits, or prints a lot in every step."""

import sys
import time

import common
import torch
from torch.nn.functional import cross_entropy


def trouble(options):
    if options.by == "raising":
        raise ValueError("the data went bad")
    if options.by == "exiting":
        sys.exit(options.code)
    while options.by == "hanging":
        time.sleep(3600)


def train(options, rank, device):
    loader = common.loader(common.samples(options), options)
    model = common.parallel(common.tiny_model(options.model), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    step = 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, labels in loader:
            loss = cross_entropy(model(inputs.to(device)), labels.to(device))
            optimizer.zero_grad()
            if options.by == "printing":
                print(("x" * 99 + "\n") * 20000)
            elif step == options.at and options.rank in (rank, -1):
                trouble(options)
            loss.backward()
            optimizer.step()
            step += 1


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.add_argument("--by", choices=["raising", "hanging", "exiting", "printing"], required=True)
    parser.add_argument("--at", type=int, default=20, metavar="STEP", help="counted from 0")
    parser.add_argument("--rank", type=int, default=-1, metavar="R", help="-1: all")
    parser.add_argument("--code", type=int, default=0, help="of exiting")
    common.run(train, parser)
