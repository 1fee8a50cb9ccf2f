"""One model and two optimizers; the second steps after every --every-th batch only. --twice: a backward for each."""

import common
import torch
from torch.nn.functional import cross_entropy


def train(options, rank, device):
    loader = common.loader(common.samples(options), options)
    plain = common.tiny_model(options.model).to(device)
    model = common.parallel(plain, device)
    head = torch.optim.SGD(plain[-1].parameters(), lr=0.01)
    trunk = torch.optim.Adam(plain[:-1].parameters())
    losses = common.Losses(options, rank)
    step = 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, labels in loader:
            inputs, labels = inputs.to(device), labels.to(device)
            loss = cross_entropy(model(inputs), labels)
            head.zero_grad()
            trunk.zero_grad()
            loss.backward()
            head.step()
            if options.twice:
                loss = cross_entropy(model(inputs), labels)
                trunk.zero_grad()
                loss.backward()
            if step % options.every == 0:
                trunk.step()
            losses.add(loss)
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--twice", action="store_true")
    common.run(train, parser)
