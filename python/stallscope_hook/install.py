"""Puts the wrappers around torch, once it has been imported."""

import atexit
import functools
import os
import sys
import time


from .elsewhere import Elsewhere, becomes_elsewhere_when_forked


def install(config, channel):
    import torch
    import torch.distributed
    import torch.nn.parallel
    import torch.optim
    import torch.utils.data

    if config["mode"] == "observe":
        from .observe import Observer

        session = Observer(config, channel)
    else:
        from .ladder import Ladder
        from . import safety

        session = Ladder(config, channel)
        _hold_schedules(torch)
        if not config["allow_writes"]:
            safety.trackers_offline(config["folder"])
            safety.refuse_checkpoints()
    _wrap_loader(torch, session)
    _wrap_backward(torch, session)
    _wrap_optimizers(torch, session)
    _wrap_ddp(torch, session)
    _wrap_collectives(torch, session)
    if torch.cuda.is_available():
        _wrap_copies(torch, session)
    _wrap_end(config, channel, session)
    becomes_elsewhere_when_forked(session)
    channel.listen(session)


def install_elsewhere(config):
    """In a process that the program starts itself."""
    import torch
    import torch.optim

    _wrap_optimizers(torch, Elsewhere(config))


def _in_worker(torch):
    return torch.utils.data.get_worker_info() is not None


def _wrap_loader(torch, session):
    from .loaders import Loaders, WrappedIterator

    data_loader = torch.utils.data.DataLoader
    original = data_loader.__iter__
    known = Loaders(original)
    owner = os.getpid()

    @functools.wraps(original)
    def wrapped(self):
        if os.getpid() != owner or _in_worker(torch):
            return original(self)
        return WrappedIterator(known.of(self, session), session)

    data_loader.__iter__ = wrapped


def _wrap_backward(torch, session):
    original = torch.autograd.backward

    @functools.wraps(original)
    def wrapped(tensors, *args, **kwargs):
        session.on_backward_begin(tensors if isinstance(tensors, (list, tuple)) else (tensors,))
        try:
            return original(tensors, *args, **kwargs)
        finally:
            session.on_backward_end()

    torch.autograd.backward = wrapped
    original_grad = torch.autograd.grad

    @functools.wraps(original_grad)
    def grad(*args, **kwargs):
        session.on_backward_begin(())
        try:
            return original_grad(*args, **kwargs)
        finally:
            session.on_backward_end(whole=False)

    torch.autograd.grad = grad


def _wrap_optimizers(torch, session):
    """Every class on its first instance, as torch's own profiler hook does; so optimisers of the user's own count too."""
    base = torch.optim.Optimizer
    original_init = base.__init__

    def wrap_class(kind):
        original = kind.step
        if getattr(original, "_stallscope", False):
            return

        @functools.wraps(original)
        def step(self, *args, **kwargs):
            session.on_optimizer_begin()
            try:
                result = original(self, *args, **kwargs)
            except BaseException:
                session.on_optimizer_abandoned()
                raise
            session.on_optimizer_end(self)
            return result

        step._stallscope = True
        kind.step = step

    @functools.wraps(original_init)
    def init(self, *args, **kwargs):
        original_init(self, *args, **kwargs)
        wrap_class(type(self))

    base.__init__ = init
    _wrap_scaler(torch, session)


def _wrap_scaler(torch, session):
    """A scaler leaves a step out where gradients overflowed, perhaps on one rank alone: the attempt is the step."""
    from torch.cuda.amp import GradScaler

    scaler = next(kind for kind in GradScaler.__mro__ if "step" in kind.__dict__)  # newer torch has a common base
    original = scaler.step

    @functools.wraps(original)
    def step(self, optimizer, *args, **kwargs):
        session.on_optimizer_begin()
        try:
            result = original(self, optimizer, *args, **kwargs)
        except BaseException:
            session.on_optimizer_abandoned()
            raise
        session.on_optimizer_end(optimizer)
        return result

    scaler.step = step


def _wrap_ddp(torch, session):
    ddp = torch.nn.parallel.DistributedDataParallel
    original_init = ddp.__init__

    @functools.wraps(original_init)
    def init(self, *args, **kwargs):
        original_init(self, *args, **kwargs)
        session.gradients.add(self)

    ddp.__init__ = init
    broadcast = getattr(ddp, "_sync_buffers", None)
    if broadcast is None:
        return

    @functools.wraps(broadcast)
    def timed(self, *args, **kwargs):
        begin = time.monotonic()
        try:
            return broadcast(self, *args, **kwargs)
        finally:
            session.on_collective(begin, time.monotonic())

    ddp._sync_buffers = timed


_COLLECTIVES = ("all_reduce", "all_gather", "all_gather_into_tensor", "_all_gather_base", "reduce_scatter",
                "reduce_scatter_tensor", "_reduce_scatter_base", "broadcast", "all_to_all", "all_to_all_single",
                "reduce", "gather", "scatter", "barrier")


def _wrap_collectives(torch, session):
    """Those that the program calls and waits for itself; what is waited for elsewhere shows in the pass that waits."""
    for name in _COLLECTIVES:
        original = getattr(torch.distributed, name, None)
        if original is None:
            continue

        def make(function):
            @functools.wraps(function)
            def timed(*args, **kwargs):
                begin = time.monotonic()
                try:
                    return function(*args, **kwargs)
                finally:
                    session.on_collective(begin, time.monotonic())

            return timed

        setattr(torch.distributed, name, make(original))


def _wrap_copies(torch, session):
    """Host to device, as far as the program waits for it."""
    for name in ("to", "cuda"):
        original = getattr(torch.Tensor, name)

        def make(function):
            @functools.wraps(function)
            def timed(self, *args, **kwargs):
                if self.is_cuda:
                    return function(self, *args, **kwargs)
                begin = time.monotonic()
                result = function(self, *args, **kwargs)
                if result.is_cuda:
                    session.on_copy(begin, time.monotonic())
                return result

            return timed

        setattr(torch.Tensor, name, make(original))


def _hold_schedules(torch):
    """While measuring, epochs do not end: a schedule made for so many steps stays where it ended, instead of raising."""
    schedule = torch.optim.lr_scheduler.OneCycleLR
    original = schedule.get_lr

    @functools.wraps(original)
    def get_lr(self):
        if self.last_epoch > self.total_steps:
            return [group["lr"] for group in self.optimizer.param_groups]
        return original(self)

    schedule.get_lr = get_lr


def _wrap_end(config, channel, session):
    owner = os.getpid()
    original = sys.excepthook

    def failed(kind, value):
        session.raised = True
        at = "at step %d" % session.steps if session.steps else "before its first step"
        channel.send({"event": "failed", "message": "rank %d raised %s, %s" % (
            config["rank"], _one_line(kind, value), at),
            "hint": session.hint_of_raise(kind), "exit_code": 1, "lost_connection": _is_consequence(value),
            "with_exit_status": True, "raised": True})

    def excepthook(kind, value, traceback):
        original(kind, value, traceback)
        if os.getpid() == owner:
            failed(kind, value)

    sys.excepthook = excepthook

    def at_exit():
        if os.getpid() != owner or getattr(session, "raised", False):
            return
        last = getattr(sys, "last_value", None)
        if last is not None:  # the program has an excepthook of its own
            failed(type(last), last)
        else:
            session.on_exit()

    atexit.register(at_exit)


def _one_line(kind, value):
    try:
        lines = str(value).split("\n")
    except Exception:  # exceptions of the program's own can fail at that, too
        lines = [""]
    return "%s: %s" % (kind.__name__, lines[0][:300]) if lines[0] else kind.__name__


def _is_consequence(error):
    text = _one_line(type(error), error)
    return any(sign in text for sign in ("Connection closed by peer", "Connection reset by peer", "Broken pipe",
                                         "Connection refused", "Socket closed"))
