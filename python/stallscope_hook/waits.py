"""What a training loop waits for another thread of its program, which reads the loader for it."""

import functools
import threading
import time


def time_waits(session):
    """Queues, futures and events of Python wait by this; only where a loader is seen to be read by another thread."""
    original = threading.Condition.wait

    @functools.wraps(original)
    def wait(self, timeout=None):
        if threading.get_ident() != session.loop_thread:
            return original(self, timeout)
        begin = time.monotonic()
        try:
            return original(self, timeout)
        finally:
            session.on_waited(begin, time.monotonic())

    threading.Condition.wait = wait
