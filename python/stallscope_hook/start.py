"""Decides what this process is to stallscope: the rank itself, one of its loader workers, or nothing."""

import atexit
import importlib.abc
import importlib.util
import json
import os
import signal
import sys


def start():
    with open(os.environ["STALLSCOPE_HOOK"]) as file:
        config = json.load(file)
    if _is_multiprocessing_child():
        # A worker that was spawned: it begins anew, where a forked one has all of this in its memory already.
        if config["mode"] == "ladder":
            from . import opened_files

            opened_files.watch(config["folder"], config["rank"])
        _when_imported("torch", lambda: _install_elsewhere(config))
        return
    if not _claim(config):
        _when_imported("torch", lambda: _install_elsewhere(config))
        return
    from .channel import Channel

    if config["mode"] == "ladder":
        _leave_preemption_to_the_command()
    channel = Channel()  # the command sees from now on that the rank lives
    end = _without_torch(channel)
    _when_imported("torch", lambda: (atexit.unregister(end), _install(config, channel)))


def _leave_preemption_to_the_command():
    """A scheduler that preempts a job sends SIGTERM to all of its processes; the command ends the ladder then, in order.

    A handler that does nothing, and not SIG_IGN, which the program's own children would inherit: those are ended
    by SIGTERM at times. A handler that the program sets takes its place.
    """

    def wait(number, frame):
        pass

    def in_child():
        if signal.getsignal(signal.SIGTERM) is wait:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, wait)
        signal.siginterrupt(signal.SIGTERM, False)
        os.register_at_fork(after_in_child=in_child)


def _is_multiprocessing_child():
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return b"multiprocessing." in file.read()
    except OSError:
        return False


def _claim(config):
    """One process is the rank: the first that has the channel. Others, as a launcher's helpers, go without."""
    try:
        os.fstat(3)
        name = os.path.join(config["folder"], "rank-%s" % config["rank"])
        try:
            with open(name, "x") as file:
                file.write(str(os.getpid()))
            return True
        except FileExistsError:
            with open(name) as file:
                return file.read() == str(os.getpid())  # it has replaced itself by another program
    except OSError:
        return False


def _install(config, channel):
    from . import install

    install.install(config, channel)


def _install_elsewhere(config):
    from . import install

    install.install_elsewhere(config)


def _without_torch(channel):
    """What is said of a program that ends before it has imported torch."""
    owner = os.getpid()

    def end():
        if os.getpid() == owner:
            channel.send({"event": "failed", "message": "the program ended, and had not imported torch",
                          "hint": "profile a program that trains with torch", "exit_code": 1,
                          "lost_connection": False, "with_exit_status": True})

    atexit.register(end)
    return end


class _AfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Calls back when a module has been imported to its end."""

    def __init__(self, name, callback):
        self._name = name
        self._callback = callback
        self._loader = None

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        sys.meta_path.remove(self)  # once, and not for our own search below
        spec = importlib.util.find_spec(name)
        if spec is None:
            sys.meta_path.insert(0, self)
            return None
        self._loader = spec.loader
        spec.loader = self
        return spec

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._callback()


def _when_imported(name, callback):
    if name in sys.modules:
        callback()
    else:
        sys.meta_path.insert(0, _AfterImport(name, callback))
