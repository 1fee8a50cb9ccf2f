"""Tokens from a memory-mapped file: --data FOLDER/tokens.u16, or the folder. The map is opened once, before forking, or
with --late by every loader process."""

import pathlib

import common
import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

LENGTH, VOCABULARY, WIDTH = 16, 256, 32


class Tokens(torch.utils.data.Dataset):
    def __init__(self, path, options):
        path = pathlib.Path(path)
        self.path = path / "tokens.u16" if path.is_dir() else path
        self.count = self.path.stat().st_size // 2
        self.sleep, self.private = options.sleep, options.private
        self.tokens = None if options.late else self.map()

    def map(self):
        if not self.private:
            return np.memmap(self.path, dtype="<u2", mode="r")
        tokens = torch.from_file(str(self.path), shared=False, size=self.count, dtype=torch.int16).numpy().view("<u2")
        tokens[0] = 7  # into a page of its own from now on: the file stays as it is
        return tokens

    def __len__(self):
        return (self.count - 1) // LENGTH

    def __getitem__(self, index):
        common.wait(self.sleep)
        if self.tokens is None:
            self.tokens = self.map()
        if self.private and self.tokens[0] != 7:
            raise ValueError("what was written into the mapping is lost")
        window = self.tokens[index * LENGTH : (index + 1) * LENGTH + 1].astype(np.int64) % VOCABULARY
        return torch.from_numpy(window[:-1]), torch.from_numpy(window[1:])


def train(options, rank, device):
    loader = common.loader(Tokens(options.data, options), options)
    layers = [nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, VOCABULARY)]
    model = common.parallel(nn.Sequential(*layers), device)
    optimizer = torch.optim.AdamW(model.parameters())
    losses = common.Losses(options, rank)
    step = 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, targets in loader:
            loss = cross_entropy(model(inputs.to(device)).flatten(0, 1), targets.to(device).flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.add(loss)
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.set_defaults(data=".")
    parser.add_argument("--private", action="store_true", help="map it with torch.from_file, and write into the mapping")
    parser.add_argument("--late", action="store_true", help="map it where it is first read")
    common.run(train, parser)
