"""The end of a program that was told to end, and cannot: threads of its own wait for ever."""

import os
import threading
import time

_LONGEST_S = 2.0


def insist():
    """Once the main thread has ended, other threads have so long to follow: Python would wait for them without end."""
    threading.Thread(target=_watch, daemon=True).start()


def _watch():
    main = threading.main_thread()
    while main.is_alive():
        time.sleep(0.1)
    deadline = time.monotonic() + _LONGEST_S
    while any(not thread.daemon and thread is not main for thread in threading.enumerate()):
        if time.monotonic() > deadline:
            os._exit(0)
        time.sleep(0.1)
