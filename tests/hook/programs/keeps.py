"""Loops that read their DataLoader once and then go round in memory: a list of its batches, or itertools.cycle. Gradients
come from torch.autograd.grad, and trouble at --steps is an exception that cannot be printed, under an excepthook of its
own."""

import itertools
import sys

import common
import torch
from torch.nn.functional import cross_entropy


class Unspeakable(Exception):
    def __str__(self):
        raise AttributeError("nothing to say")


def train(options, rank, device):
    loader = torch.utils.data.DataLoader(common.samples(options), options.batch)
    batches = itertools.cycle(loader if options.cycle else list(loader))
    model = common.parallel(common.tiny_model(options.model), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    parameters = list(model.parameters())
    for step, (inputs, labels) in enumerate(batches):
        if step == options.steps:
            sys.excepthook = lambda *_: print("something went wrong", file=sys.stderr)
            raise Unspeakable
        loss = cross_entropy(model(inputs.to(device)), labels.to(device))
        for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters)):
            parameter.grad = gradient
        optimizer.step()


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.add_argument("--cycle", action="store_true")
    common.run(train, parser)
