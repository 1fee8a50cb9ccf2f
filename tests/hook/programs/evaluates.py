"""Evaluates on a second loader: every --every steps, and after each epoch."""

import common
import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    mean = sum(cross_entropy(model(inputs.to(device)), labels.to(device)) for inputs, labels in loader) / len(loader)
    if dist.is_initialized():
        dist.all_reduce(mean)
        mean /= dist.get_world_size()
    model.train()
    return mean


def train(options, rank, device):
    dataset = common.samples(options)
    # Some of the same samples in another loader; ranks have as many batches each.
    held_back = torch.utils.data.Subset(dataset, range(len(dataset) // 4))
    loader, evaluation = common.loader(dataset, options), common.loader(held_back, options)
    model = common.parallel(common.tiny_model(options.model), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
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
            if step % options.every == 0:
                evaluate(model, evaluation, device)
        print(f"epoch {epoch}: {evaluate(model, evaluation, device).item():.3f}", flush=True)


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.add_argument("--every", type=int, default=5, metavar="STEPS")
    common.run(train, parser)
