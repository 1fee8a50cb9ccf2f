"""An optimizer that calls backward itself, through a closure: LBFGS several times in a step, SGD once."""

import common
import torch
from torch.nn.functional import cross_entropy


def make_optimizer(name, parameters):
    if name == "sgd":
        return torch.optim.SGD(parameters, lr=0.01)
    # No tolerance: a rank whose own loss no longer changes would stop earlier than the others, which then hang.
    return torch.optim.LBFGS(parameters, lr=0.1, max_iter=3, history_size=4, tolerance_grad=0, tolerance_change=0)


def train(options, rank, device):
    loader = common.loader(common.samples(options), options)
    model = common.parallel(common.tiny_model(options.model), device)
    optimizer = make_optimizer(options.optimiser, model.parameters())
    losses = common.Losses(options, rank)
    step = 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, labels in loader:
            inputs, labels = inputs.to(device), labels.to(device)

            def closure():
                optimizer.zero_grad()
                loss = cross_entropy(model(inputs), labels)
                loss.backward()
                return loss

            losses.add(optimizer.step(closure))
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.add_argument("--optimiser", choices=["lbfgs", "sgd"], default="lbfgs")
    common.run(train, parser)
