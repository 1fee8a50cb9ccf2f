"""A ladder run leaves no trace of meaningless weights: checkpoints are refused, trackers are put offline."""

import functools
import io
import os
import pickle
import sys

from .channel import say

# The trackers' own switches. They outrank what the user has set: nothing of a ladder run is worth keeping.
_OFFLINE = {"WANDB_MODE": "disabled", "NEPTUNE_MODE": "debug", "COMET_MODE": "disabled", "CLEARML_OFFLINE_MODE": "1",
            "MLFLOW_TRACKING_URI": None, "SWANLAB_MODE": "disabled", "DISABLE_MLFLOW_INTEGRATION": "TRUE"}

_refused = set()


def trackers_offline(folder):
    for name, value in _OFFLINE.items():
        os.environ[name] = value if value is not None else "file://" + os.path.join(folder, "mlflow")


def refuse_checkpoints():
    import torch

    torch.save = _refusing(torch.save, "torch.save", 1)
    pickle.dump = _refusing(pickle.dump, "pickle.dump", 1)
    _when_loaded("safetensors.torch", "save_file", "save_model")


def _when_loaded(name, *functions):
    """Now, or once the program has imported it: looked for whenever anything is saved would be too late."""
    from .start import _when_imported

    def wrap():
        module = sys.modules[name]
        for function in functions:
            if hasattr(module, function):
                setattr(module, function, _refusing(getattr(module, function), "%s.%s" % (name, function), 1))

    _when_imported(name, wrap)


def _refusing(original, name, place):
    @functools.wraps(original)
    def refuse(*args, **kwargs):
        target = args[place] if len(args) > place else kwargs.get("f", kwargs.get("file", kwargs.get("filename")))
        if not _is_file(target):
            return original(*args, **kwargs)
        if name not in _refused:  # once: a program may save every step
            _refused.add(name)
            say("%s is refused: weights of a ladder run mean nothing (--allow-writes lifts this)" % name)
        return None

    return refuse


def _is_file(target):
    """A path, or a stream that ends in a regular file; buffers in memory and pipes are the program's own affair."""
    if isinstance(target, (str, bytes)) or hasattr(target, "__fspath__"):
        return True
    if isinstance(target, (io.BytesIO, io.StringIO)) or not hasattr(target, "fileno"):
        return False
    try:
        return os.path.isfile("/proc/self/fd/%d" % target.fileno())
    except (OSError, ValueError, io.UnsupportedOperation):
        return False
