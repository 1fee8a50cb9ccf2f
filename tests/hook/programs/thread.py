"""A thread reads the loader and hands batches on by a queue. It is no daemon, and never ends by itself."""

import queue
import threading

import common
import torch
from torch.nn.functional import cross_entropy


def train(options, rank, device):
    loader = common.loader(common.samples(options), options)
    model = common.parallel(common.tiny_model(options.model), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = queue.Queue(maxsize=6)
    ended = threading.Event()

    def read():
        while not ended.is_set():
            for batch in loader:
                batches.put(batch)
                if ended.is_set():
                    return

    threading.Thread(target=read).start()
    step = 0
    while step != options.steps:
        inputs, labels = batches.get()
        loss = cross_entropy(model(inputs.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
    ended.set()
    batches.get()


if __name__ == "__main__":
    common.run(train, common.parser(__doc__))
