"""Rides along in the user's program: Python imports this module by itself when its folder is on PYTHONPATH.

It does next to nothing until the program imports torch, and it hands on to a sitecustomize that was there before.
"""

import importlib.machinery
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _chain():
    """Runs the sitecustomize that this one stands in front of."""
    others = [path for path in sys.path if os.path.abspath(path or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = sys.modules[__name__]
    code = spec.loader.get_code("sitecustomize")
    module.__file__ = spec.origin
    exec(code, module.__dict__)


if os.environ.get("STALLSCOPE_HOOK"):
    try:
        from stallscope_hook import start

        start.start()
    except Exception as error:  # the user's program must not fail because of us
        sys.stderr.write("stallscope: the hook could not start: %r\n" % (error,))
_chain()
