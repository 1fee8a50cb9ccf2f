"""The plain loop: DDP over a map-style dataset."""

import common
import torch
from torch.nn.functional import cross_entropy


def train(options, rank, device):
    loader = common.loader(common.samples(options), options)
    model = common.parallel(common.tiny_model(options.model, options.width), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    losses = common.Losses(options, rank)
    step = 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, labels in loader:
            loss = cross_entropy(model(inputs.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.add(loss)
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    common.run(train, common.parser(__doc__))
