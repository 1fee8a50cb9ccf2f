"""Learns from its first steps how a training program goes round: its loaders, optimisers and accumulation."""

import collections
import weakref

_CYCLES = 3  # seen whole before anything is believed
_LONGEST_CYCLE = 64  # steps; a loop that asks its loader less often does not train from it


class Structure:
    """A step ends with the last optimiser that runs before the training loader is asked again."""

    def __init__(self):
        self.training = []  # loaders whose batches drive a backward pass, in order of appearance
        self.backwards = 0  # so far
        self.steps = 0  # of any optimiser, so far
        self._primary = lambda: None  # the optimiser whose step ends a step: the program's to keep alive
        self._since_primary = 0  # steps of others
        self._fresh = []  # loaders that delivered since the last backward pass
        self._votes = collections.Counter()
        self._last_optimizer = None
        self._optimizers = weakref.WeakValueDictionary()
        self._steps_of = collections.Counter()  # by optimiser
        self._batches = collections.Counter()  # by loader, since the last step
        self._backwards_now = 0
        self.batches_per_step = {}
        self.backwards_per_step = 1
        self.loader_seen = False
        self._steps_unasked = 0
        self._gradients_now = 0  # torch.autograd.grad, since the last step

    @property
    def primary(self):
        return self._primary()

    def optimizers(self):
        return list(self._optimizers.values())

    def on_asked(self, loader):
        """A loader is asked for a batch. Where optimisers ran since the last time, a cycle has ended."""
        self.loader_seen = True
        self._steps_unasked = 0
        if self._last_optimizer is None or (self.training and loader not in self.training):
            return
        self._votes[self._last_optimizer] += 1
        self._last_optimizer = None

    def on_batch(self, loader, grad_enabled):
        self._batches[loader] += 1
        if grad_enabled and loader not in self._fresh:
            self._fresh.append(loader)

    def on_exhausted(self, loader):
        """Evaluation loaders are read to their end between two steps; their batches drive nothing."""
        if loader in self._fresh:
            self._fresh.remove(loader)

    def on_backward(self):
        self.backwards += 1
        self._backwards_now += 1
        for loader in self._fresh:
            if loader not in self.training:
                self.training.append(loader)
        self._fresh = []

    def on_gradients(self):
        """torch.autograd.grad: part of a loss for some, and for others their only backward pass."""
        self._gradients_now += 1

    def on_optimizer(self, optimizer):
        self.steps += 1
        self._steps_unasked += 1
        if self._gradients_now > 0 and self._backwards_now == 0:
            self.on_backward()
        self._gradients_now = 0
        key = id(optimizer)
        self._forget_what_is_over(optimizer)
        self._optimizers[key] = optimizer
        self._steps_of[key] += 1
        self._last_optimizer = key
        if not self.loader_seen and self.steps >= 2 * _CYCLES:
            self._votes[key] += _CYCLES  # no loader of torch's: whichever optimiser comes round
        elif self.primary is None and self._steps_unasked >= _LONGEST_CYCLE:
            self._votes[key] += _CYCLES
            self.training = []
        if self.primary is None and self._votes and self._votes.most_common(1)[0][1] >= _CYCLES:
            best = self._votes.most_common(1)[0][0]
            if best == key:  # begin at the end of a cycle
                self._primary = weakref.ref(optimizer)
        if self._votes and key == self._votes.most_common(1)[0][0] and self.backwards > 0:
            for loader in self.training:
                self.batches_per_step[loader] = max(1, self._batches[loader])
            self.backwards_per_step = max(1, self._backwards_now)
            self._batches.clear()
            self._backwards_now = 0

    def _forget_what_is_over(self, optimizer):
        """A program may train one model after another, each with its own optimiser: then all is learnt anew."""
        self._since_primary = 0 if optimizer is self.primary else self._since_primary + 1
        gone = self.primary is None and self._primary_was_known()
        if gone or (self.primary is not None and self._since_primary > _LONGEST_CYCLE):
            self._primary = lambda: None
            self._votes.clear()
            self._steps_of.clear()
            self._last_optimizer = None

    def _primary_was_known(self):
        return isinstance(self._primary, weakref.ref)

    def steps_of_primary(self):
        return self._steps_of[id(self.primary)]

    def missing(self):
        """What a training loop has, and was not seen; nothing where all was."""
        wanted = []
        if self.backwards == 0:
            wanted.append("a backward pass (Tensor.backward, torch.autograd.backward or torch.autograd.grad)")
        if self.steps == 0:
            wanted.append("a step of a torch.optim optimiser")
        return wanted
