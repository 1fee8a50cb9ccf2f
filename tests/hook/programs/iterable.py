"""An IterableDataset, dealt to ranks and workers by itself; --endless: one iterator for the whole run."""

import itertools

import common
import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, samples, endless):
        self.samples, self.endless = samples, endless
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        self.ranks = dist.get_world_size() if dist.is_initialized() else 1

    def __iter__(self):
        worker = get_worker_info()
        workers, worker_id = (worker.num_workers, worker.id) if worker else (1, 0)
        shards = self.ranks * workers
        # As many for every shard: a rank with a batch more than the others would wait for them without end.
        mine = range(self.rank * workers + worker_id, len(self.samples) // shards * shards, shards)
        for index in itertools.cycle(mine) if self.endless else mine:
            yield self.samples[index]


def train(options, rank, device):
    stream = Stream(common.samples(options), options.endless)
    loader = DataLoader(stream, options.batch, drop_last=True, **common.workers(options))
    model = common.parallel(common.tiny_model(options.model), device)
    optimizer = torch.optim.AdamW(model.parameters())
    losses = common.Losses(options, rank)
    step = 0
    for _ in range(options.epochs):
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
    parser = common.parser(__doc__)
    parser.add_argument("--endless", action="store_true")
    common.run(train, parser)
