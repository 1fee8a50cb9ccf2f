"""What a training loop gets when it asks its DataLoader: its own batches, or what a block wants it to have."""

import copy
import random
import time

import torch

_KEPT = 4  # batches that synthetic blocks replay


def rebuild(value, tensor):
    """A copy of the containers; `tensor` is called on every tensor in them."""
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if isinstance(value, dict):
        result = copy.copy(value)
        for key in value:
            result[key] = rebuild(value[key], tensor)
        return result
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(rebuild(item, tensor) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(rebuild(item, tensor) for item in value)
    if hasattr(value, "__dict__") and any(isinstance(item, torch.Tensor) for item in vars(value).values()):
        result = copy.copy(value)
        for key, item in vars(value).items():
            setattr(result, key, rebuild(item, tensor))
        return result
    return value


def samples_of(batch):
    """The length of the first tensor found; the batch's size, as far as anybody outside can tell."""
    sizes = []
    rebuild(batch, lambda tensor: sizes.append(tensor.shape[0] if tensor.dim() else 1) or tensor)
    return int(sizes[0]) if sizes else 1


class Loader:
    """One DataLoader of the program, and the iterator that the current block reads from."""

    def __init__(self, loader, original_iter):
        self.loader = loader
        self._original_iter = original_iter
        self._kept = []  # as they came
        self._replayed = []  # this block's copies: programs may write into their batches
        self._next_replayed = 0
        self._iterator = None
        self._epoch = 0
        self._seed = 0
        self.batch_size = 1
        self.samples = 0  # taken in this block

    def natural(self):
        return self._original_iter(self.loader)

    @property
    def workers(self):
        return int(getattr(self.loader, "num_workers", 0))

    def keep(self, batch):
        if len(self._kept) < _KEPT:
            self._kept.append(rebuild(batch, lambda tensor: tensor.detach().clone()))
            self.batch_size = samples_of(batch)

    def prepare_replay(self, device):
        self._replayed = [rebuild(batch, lambda tensor: tensor.to(device, copy=True)) for batch in self._kept]
        self._next_replayed = 0

    def replay(self):
        batch = self._replayed[self._next_replayed % len(self._replayed)]
        self._next_replayed += 1
        return rebuild(batch, lambda tensor: tensor)

    def begin(self, seed):
        """The next block reads from the start of an epoch that the seed alone decides."""
        self.close()
        self._seed = seed
        self._epoch = 0
        self.samples = 0

    def next_real(self):
        if self._iterator is None:
            self._iterator = self._seeded()
        try:
            batch = next(self._iterator)
        except StopIteration:
            self._epoch += 1
            self._iterator = self._seeded()
            batch = next(self._iterator)  # an empty epoch ends the program's loop, as it would by itself
        self.samples += samples_of(batch)
        return batch

    def read_ahead(self):
        """Samples that workers have prepared and nobody has taken."""
        return getattr(self._iterator, "_tasks_outstanding", 0) * self.batch_size

    def worker_pids(self):
        return [worker.pid for worker in getattr(self._iterator, "_workers", []) if worker.pid]

    def close(self):
        """Ends the iterator and its workers, with what they had read ahead."""
        iterator, self._iterator = self._iterator, None
        close_iterator(iterator, self.loader)

    def _seeded(self):
        seed = self._seed + 7919 * self._epoch
        torch_state, python_state = torch.get_rng_state(), random.getstate()
        torch.manual_seed(seed)
        random.seed(seed)
        sampler = getattr(self.loader, "sampler", None)
        for owner in (self.loader, sampler, getattr(self.loader, "batch_sampler", None)):
            generator = getattr(owner, "generator", None)
            if isinstance(generator, torch.Generator):
                generator.manual_seed(seed)
        epoch = getattr(sampler, "epoch", None)
        if hasattr(sampler, "set_epoch"):
            sampler.set_epoch(seed % 100003)
        try:
            return self._original_iter(self.loader)
        finally:
            if epoch is not None and hasattr(sampler, "set_epoch"):
                sampler.set_epoch(epoch)
            torch.set_rng_state(torch_state)
            random.setstate(python_state)


def close_iterator(iterator, loader):
    if iterator is None:
        return
    if hasattr(iterator, "_shutdown_workers"):
        iterator._shutdown_workers()
    if getattr(loader, "persistent_workers", False):
        # Workers that outlive an epoch would read on in synthetic blocks.
        loader.__dict__["persistent_workers"] = False
    if loader.__dict__.get("_iterator") is iterator:
        loader.__dict__["_iterator"] = None


class WrappedIterator:
    """Stands between the training loop and its DataLoader."""

    def __init__(self, loader, session):
        self._loader = loader
        self._session = session
        self._natural = None if session.feeds(loader) else loader.natural()

    def __iter__(self):
        return self

    def __next__(self):
        session = self._session
        begin = time.monotonic()
        session.on_asked(self._loader)
        if session.feeds(self._loader):
            self._close_natural()
            batch = session.feed(self._loader)
        else:
            if self._natural is None:
                self._natural = self._loader.natural()
            try:
                batch = next(self._natural)
            except StopIteration:
                session.on_exhausted(self._loader)
                raise
        session.on_batch(self._loader, batch, begin, time.monotonic())
        return batch

    def _close_natural(self):
        natural, self._natural = self._natural, None
        close_iterator(natural, self._loader.loader)

    def __len__(self):
        return len(self._loader.loader)

    def __getattr__(self, name):
        if name.startswith("__") or name == "_natural":
            raise AttributeError(name)
        return getattr(self._natural, name)
