"""Prints a lot in every step."""

import sys

import common
import torch
from torch.nn.functional import cross_entropy


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
            for _ in range(options.bytes // 100):
                print("x" * 99, file=getattr(sys, options.stream))
            loss.backward()
            optimizer.step()
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.add_argument("--bytes", type=int, default=2000000, metavar="N", help="in a step")
    parser.add_argument("--stream", choices=["stdout", "stderr"], default="stdout")
    common.run(train, parser)
