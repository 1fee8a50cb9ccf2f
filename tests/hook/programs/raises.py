"""Raises at a step, before its backward, in one rank or (--rank -1) in all."""

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
            if step == options.at and options.rank in (rank, -1):
                raise ValueError("the data went bad")
            loss.backward()
            optimizer.step()
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.add_argument("--at", type=int, default=20, metavar="STEP", help="counted from 0")
    parser.add_argument("--rank", type=int, default=0, metavar="R")
    common.run(train, parser)
