"""What a training loop gets when it asks its DataLoader: its own batches, or what a block wants it to have."""

import random
import threading
import time
import weakref

import torch

from .batches import bytes_of, rebuild, samples_of, shapes_of

_KEPT = 4  # batches that synthetic blocks replay, where all are alike
_RECENT = 64  # where they are not, so many of the last block with real data
_RECENT_BYTES = 256 * 1024 * 1024


class Loader:
    """One DataLoader of the program, and the iterator that the current block reads from."""

    def __init__(self, loader, original_iter):
        self._loader = weakref.ref(loader)
        self._held = None  # while measuring: the program may have dropped it
        self.kind = _kind_of(loader)
        self._original_iter = original_iter
        self._kept = []  # as they came
        self._replayed = []  # this block's copies: programs may write into their batches
        self._next_replayed = 0
        self._iterator = None
        self._epoch = 0
        self._seed = 0
        self._shapes = set()  # of the kept ones
        self._recent = []  # this block's, where shapes differ
        self._recent_bytes = 0
        self._lock = threading.RLock()  # threads of the program may read while a block ends
        self.batch_size = 1
        self.samples = 0  # taken in this block
        self.delivered = 0  # batches, since the program began
        self.asked_s = 0.0

    def natural(self):
        return self._original_iter(self.loader)

    @property
    def loader(self):
        return self._loader()

    def take_over(self, loader):
        """The program has made its DataLoader anew, as some do for every epoch."""
        self._loader = weakref.ref(loader)
        self._held = loader if self._held is not None else None

    def hold(self):
        """Whether it is still there: some programs read theirs once, and keep the batches."""
        self._held = self.loader
        return self._held is not None

    def epoch_length(self):
        """Batches, where the loader knows."""
        try:
            return len(self.loader)
        except (TypeError, AttributeError, NotImplementedError):
            return None

    @property
    def workers(self):
        return int(getattr(self.loader, "num_workers", 0))

    def keep(self, batch):
        self.batch_size = max(self.batch_size, self._samples_of(batch))
        if len(self._kept) < _KEPT:
            self._kept.append(rebuild(batch, lambda tensor: tensor.detach().clone()))
            self._shapes.add(shapes_of(batch))

    def prepare_replay(self, device):
        with self._lock:
            if len(self._recent) >= _KEPT:
                self._kept = [rebuild(batch, lambda tensor: tensor.clone()) for batch in self._recent]
            self._recent = []
            self._replayed = [rebuild(batch, lambda tensor: tensor.to(device, copy=True)) for batch in self._kept]
            self._next_replayed = 0

    def replay(self):
        with self._lock:
            batch = self._replayed[self._next_replayed % len(self._replayed)]
            self._next_replayed += 1
        return rebuild(batch, lambda tensor: tensor)

    def begin(self, seed):
        """The next block reads from the start of an epoch that the seed alone decides."""
        with self._lock:
            self.close()
            self._seed = seed
            self._epoch = 0
            self.samples = 0
            self._recent, self._recent_bytes = [], 0

    def next_real(self):
        with self._lock:
            if self._iterator is None:
                self._iterator = self._seeded()
            try:
                batch = next(self._iterator)
            except StopIteration:
                self._epoch += 1
                self._iterator = self._seeded()
                batch = next(self._iterator)  # an empty epoch ends the program's loop, as it would by itself
            self.samples += self._samples_of(batch)
            self._note_shapes(batch)
            return batch

    def _note_shapes(self, batch):
        """Where batches differ in shape a few cannot stand for all: then replays take those of the last real block."""
        if shapes_of(batch) not in self._shapes:
            self._shapes.add(None)
        if None in self._shapes and len(self._recent) < _RECENT and self._recent_bytes < _RECENT_BYTES:
            self._recent.append(rebuild(batch, lambda tensor: tensor.detach()))
            self._recent_bytes += bytes_of(batch)

    def _samples_of(self, batch):
        told = getattr(self.loader, "batch_size", None)
        if not isinstance(told, int):
            told = getattr(getattr(self.loader, "batch_sampler", None), "batch_size", None)
        return samples_of(batch, told if isinstance(told, int) else None)

    def read_ahead(self):
        """Samples that workers have prepared and nobody has taken."""
        return getattr(self._iterator, "_tasks_outstanding", 0) * self.batch_size

    def worker_pids(self):
        return [worker.pid for worker in getattr(self._iterator, "_workers", []) if worker.pid]

    def close(self):
        """Ends the iterator and its workers, with what they had read ahead."""
        with self._lock:
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


def _kind_of(loader):
    """Two DataLoaders that agree in this can be the same one, made anew."""
    collate = loader.collate_fn
    return (type(loader), type(loader.dataset), loader.batch_size, loader.num_workers, type(loader.sampler),
            getattr(collate, "__qualname__", type(collate)))


class Loaders:
    """Those of the program. One that is made anew for every epoch is still the same loader."""

    def __init__(self, original_iter):
        self._original_iter = original_iter
        self._known = []

    def of(self, data_loader, session):
        for loader in self._known:
            if loader.loader is data_loader:
                return loader
        alike = [loader for loader in self._known
                 if loader.kind == _kind_of(data_loader) and session.may_be_made_anew(loader)]
        if alike:
            loader = min(alike, key=lambda loader: loader.asked_s)
            loader.take_over(data_loader)
            return loader
        self._known.append(Loader(data_loader, self._original_iter))
        return self._known[-1]


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
        self._owner = loader.loader  # lives as long as somebody reads from it
        self._session = session
        self._natural = None if session.feeds(loader) else loader.natural()
        self._unused = (0, 0)  # backward passes so far, and batches since the last of them

    def __iter__(self):
        return self

    def __next__(self):
        session = self._session
        begin = time.monotonic()
        self._loader.asked_s = begin
        session.on_asked(self._loader)
        if session.feeds(self._loader):
            self._close_natural()
            self._end_unused_epoch()
            batch = session.feed(self._loader)
        else:
            if self._natural is None:
                self._natural = self._loader.natural()
            try:
                batch = next(self._natural)
            except StopIteration:
                session.on_exhausted(self._loader)
                raise
        self._loader.delivered += 1
        session.on_batch(self._loader, batch, begin, time.monotonic())
        return batch

    def _end_unused_epoch(self):
        """A loop that trains is fed for ever. One that only reads, to evaluate or to keep, ends after an epoch."""
        backwards, batches = self._unused
        if backwards != self._session.structure.backwards:
            backwards, batches = self._session.structure.backwards, 0
        length = self._loader.epoch_length()
        if length is not None and batches >= max(length, 1):
            self._unused = (backwards, 0)
            self._session.on_exhausted(self._loader)
            raise StopIteration
        self._unused = (backwards, batches + 1)

    def _close_natural(self):
        natural, self._natural = self._natural, None
        close_iterator(natural, self._loader.loader)

    def __len__(self):
        return len(self._loader.loader)

    def __getattr__(self, name):
        if name.startswith("__") or name == "_natural":
            raise AttributeError(name)
        return getattr(self._natural, name)
