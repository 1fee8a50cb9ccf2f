"""Processes that the program starts itself. Where these train, the process that was started as a rank has no steps."""

import os

from .session import Session

_CERTAIN = 10  # steps


class Elsewhere(Session):
    """In such a process: nothing is measured, and that it trains is left as a note for the rank."""

    def __init__(self, config):
        super().__init__(config, None)

    def feeds(self, loader):
        return False

    def _nothing(self, *_, **__):
        pass

    on_asked = on_batch = on_exhausted = on_copy = on_collective = on_waited = _nothing
    on_backward_begin = on_backward_end = on_optimizer_begin = on_optimizer_abandoned = on_step = _nothing

    def on_optimizer_end(self, optimizer):
        self.steps += 1
        if self.steps == _CERTAIN:
            try:
                os.close(os.open(_note(self.config), os.O_CREAT | os.O_WRONLY, 0o600))
            except OSError:
                pass  # the command has gone


def becomes_elsewhere_when_forked(session):
    """A child has the wrappers, and is not the rank."""

    def in_child():
        session.__class__ = Elsewhere
        session.steps = 0

    os.register_at_fork(after_in_child=in_child)


def _note(config):
    return os.path.join(config["folder"], "trains-elsewhere-%s" % config["rank"])


def trains_elsewhere(config):
    return os.path.exists(_note(config))


MESSAGE = "the program trains in processes that it starts itself"
HINT = ("let stallscope start the ranks, as torchrun would: give --nproc-per-node, and a program whose process is one "
        "rank (RANK, WORLD_SIZE); or put the launcher in front: torchrun --no_python ... stallscope run -- python train.py")
