"""No DDP: gradients are averaged by hand, one all-reduce per parameter."""

import common
import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def average(model):
    if not dist.is_initialized():
        return
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= dist.get_world_size()


def train(options, rank, device):
    loader = common.loader(common.samples(options), options)
    model = common.tiny_model(options.model).to(device)
    if dist.is_initialized():
        for tensor in model.state_dict().values():
            dist.broadcast(tensor, src=0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    losses = common.Losses(options, rank)
    step = 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, labels in loader:
            loss = cross_entropy(model(inputs.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            average(model)
            optimizer.step()
            losses.add(loss)
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    common.run(train, common.parser(__doc__))
