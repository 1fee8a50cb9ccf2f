"""What every run of the hook does: follows the training loop through its steps, and times their parts."""

import threading
import time
import weakref

import torch

from . import waits
from .gradients import Gradients
from .step_clock import StepClock
from .structure import Structure


class Session:
    """Called by the wrappers of install.py, in the program's own threads: the one that trains, and some that load."""

    def __init__(self, config, channel):
        self.config = config
        self.channel = channel
        self.structure = Structure()
        self.gradients = Gradients()
        self.clock = StepClock()
        self.steps = 0  # ended ones of the primary optimiser, as the program counts them
        self._backward_depth = 0
        self._optimizer_depth = 0
        self._backward_begin = 0.0
        self._optimizer_begin = 0.0
        self._losses = []
        self._learnt = None  # the primary optimiser, as far as it was heeded
        self.loop_thread = None  # the one that steps its optimisers
        self.beside = False  # whether a thread beside it reads the training loader
        self._asking = False

    # Data.

    def feeds(self, loader):
        """Whether batches of this loader are ours to choose at the moment."""
        return False

    def feed(self, loader):
        raise NotImplementedError

    def may_be_made_anew(self, loader):
        """Whether a DataLoader that looks like this one can have taken its place."""
        return loader.loader is None

    def on_asked(self, loader):
        self.structure.on_asked(loader)
        if not self._in_loop():
            return
        self._asking = True
        self.channel.place = "waiting for data"
        if self.structure.primary is None:
            return
        if loader in self.structure.training and torch.is_grad_enabled():
            self.clock.include_from(time.monotonic())
        else:
            self.clock.exclude_from(time.monotonic())

    def on_batch(self, loader, batch, begin, end):
        self.structure.on_batch(loader, torch.is_grad_enabled())
        if not self._in_loop():
            return self._read_beside(loader)
        self._asking = False
        self.channel.place = "in the program"
        if self.structure.primary is None or loader in self.structure.training:
            self.clock.data_wait_s += end - begin

    def on_exhausted(self, loader):
        self._asking = False
        self.channel.place = "in the program"
        self.structure.on_exhausted(loader)

    def _in_loop(self):
        return self.loop_thread is None or self.loop_thread == threading.get_ident()

    def _read_beside(self, loader):
        """The loop then waits for that thread, by what Python has for it: a queue, a future, an event."""
        if not self.beside and loader in self.structure.training:
            self.beside = True
            self._asking = False  # that was the thread, before it could be told from the loop's
            waits.time_waits(self)

    def on_waited(self, begin, end):
        if not self._asking and self._backward_depth == 0 and self._optimizer_depth == 0:
            self.clock.data_wait_s += end - begin

    def on_copy(self, begin, end):
        if self._backward_depth == 0:
            self.clock.copy_s += end - begin

    # Gradients.

    def on_backward_begin(self, roots):
        self._backward_depth += 1
        if self._backward_depth > 1:
            return
        self.channel.place = "in a backward pass"
        self._losses = [root.detach() for root in roots if isinstance(root, torch.Tensor) and root.numel() == 1]
        self._backward_begin = time.monotonic()
        self.clock.include_from(self._backward_begin)  # whatever was evaluated, the loop trains again

    def on_backward_end(self, whole=True):
        """`whole`: gradients went to the parameters, and were not only asked for (torch.autograd.grad)."""
        self._backward_depth -= 1
        if self._backward_depth > 0:
            return
        now = time.monotonic()
        self.channel.place = "in the program"
        exposed = 0.0
        if self.gradients.syncs() and self.gradients.last_gradient_s >= self._backward_begin:
            exposed = now - self.gradients.last_gradient_s
        self.clock.exposed_s += exposed
        self.clock.backward_s += now - self._backward_begin - exposed
        if whole:
            self.structure.on_backward()
        else:
            self.structure.on_gradients()

    def on_collective(self, begin, end):
        """A collective that the program calls itself, outside of backward passes."""
        if self._backward_depth == 0 and self._optimizer_depth == 0:
            self.clock.exposed_s += end - begin

    # Optimisers.

    def on_optimizer_begin(self):
        self._optimizer_depth += 1
        if self._optimizer_depth == 1:
            self.loop_thread = threading.get_ident()
            self._optimizer_begin = time.monotonic()

    def on_optimizer_end(self, optimizer):
        self._optimizer_depth -= 1
        if self._optimizer_depth > 0:
            return
        now = time.monotonic()
        if self._backward_begin < self._optimizer_begin:  # else a closure computed gradients within, counted already
            self.clock.optimizer_s += now - self._optimizer_begin
        self.structure.on_optimizer(optimizer)
        if self.structure.primary is optimizer:
            learnt = self._learnt is None or self._learnt() is not optimizer
            self.steps += self.structure.steps_of_primary() if learnt else 1
            self.channel.step = self.steps
            if learnt:
                self._learnt = weakref.ref(optimizer)
                self.gradients.watch_last_gradient()
                return self.on_learnt(now)
            self.on_step(now)

    def on_optimizer_abandoned(self):
        """It raised: the program's own affair, or the end of a ladder."""
        self._optimizer_depth = max(0, self._optimizer_depth - 1)

    def on_learnt(self, now):
        """The first step of a loop that is understood; it began before."""
        self.clock.restart(now)

    def on_step(self, now):
        raise NotImplementedError

    def take_losses(self):
        losses, self._losses = self._losses, []
        return losses

    def on_exit(self):
        """The interpreter ends."""

    def on_beat(self):
        """What is still looked for: said where no step comes. Asked by a thread of the hook's own."""
        if self.structure.primary is not None:
            return ""
        wanted = self.structure.missing()
        return "not seen was " + " and ".join(wanted) if wanted else "its loop is not understood yet"

    def hint_of_raise(self, kind):
        return "its traceback is in its log"


def own_device(optimizer):
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            return parameter.device
    return torch.device("cpu")


def synchronise(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)
