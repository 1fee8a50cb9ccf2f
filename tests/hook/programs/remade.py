"""What loops do besides training: a DataLoader made anew for every short epoch, evaluation in the middle of it on the very
loader that trains, a schedule for fewer steps than a ladder takes, and sentences of any length in a frozen data class."""

import dataclasses

import common
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


@dataclasses.dataclass(frozen=True)
class Batch:
    sentences: tuple
    labels: torch.Tensor
    names: list


class Sentences(Dataset):
    """Of 2 to 33 words; the first ones are short."""

    def __init__(self, sleep):
        self.sleep = sleep

    def __len__(self):
        return 200

    def __getitem__(self, index):
        common.wait(self.sleep)
        length = 2 + index % 32
        return torch.randint(50, (length,)), length % common.CLASSES, "sentence %d" % index


def collate(samples):
    sentences, labels, names = zip(*samples)
    return Batch(tuple(sentences), torch.tensor(labels), list(names))


def read(model, loader):
    """With gradients, as those write who forget no_grad."""
    return sum(float(model(pad_sequence(batch.sentences, batch_first=True)).sum()) for batch in loader)


def train(options, rank, device):
    model = nn.Sequential(nn.Embedding(50, 32), nn.AdaptiveAvgPool2d((1, 32)), nn.Flatten(),
                          nn.Linear(32, common.CLASSES))
    model = common.parallel(model, device)
    optimizer = torch.optim.SGD([{"params": [parameter]} for parameter in model.parameters()], lr=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20)
    dataset = Sentences(options.sleep)
    step = 0
    while True:
        loader = DataLoader(dataset, options.batch, shuffle=True, collate_fn=collate)
        for place, batch in enumerate(loader):
            if place == 7:
                break
            loss = nn.functional.cross_entropy(model(pad_sequence(batch.sentences, batch_first=True)), batch.labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step in (10, 100):
                read(model, loader)
            if step % 20 == 0:
                with torch.inference_mode():
                    next(iter(loader))


if __name__ == "__main__":
    common.run(train, common.parser(__doc__))
