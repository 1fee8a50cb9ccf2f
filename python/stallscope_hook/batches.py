"""Batches of the program, whatever it makes them of: tensors in dictionaries, tuples, data classes and objects."""

import copy

import torch
from torch.nn.utils.rnn import PackedSequence

_DEEPEST = 6  # objects can refer to themselves
_PARTS = 3  # a tuple of so many tensors is inputs and labels, not a batch of samples


def rebuild(value, tensor, depth=0):
    """A copy of the containers; `tensor` is called on every tensor in them. What cannot be copied stays as it is."""
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if depth > _DEEPEST:
        return value
    try:
        return _rebuilt(value, lambda item: rebuild(item, tensor, depth + 1))
    except Exception:  # a container of the program's own, with ideas of its own
        return value


def _rebuilt(value, inner):
    if isinstance(value, PackedSequence):
        indices = [None if item is None else inner(item) for item in (value.sorted_indices, value.unsorted_indices)]
        return PackedSequence(inner(value.data), value.batch_sizes, *indices)  # its sizes belong on the host
    if isinstance(value, dict):
        result = copy.copy(value)
        for key in value:
            result[key] = inner(value[key])
        return result
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(inner(item) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)([inner(item) for item in value])
    fields = _fields(value)
    if not any(_holds_tensor(item) for item in fields.values()):
        return value
    result = copy.copy(value)
    for name, item in fields.items():
        if name in getattr(value, "__dict__", ()):
            result.__dict__[name] = inner(item)  # past frozen data classes and setters
        else:
            object.__setattr__(result, name, inner(item))
    return result


def _fields(value):
    """Of an object, its attributes by name; of a type, a function or a number none."""
    if isinstance(value, (type, torch.nn.Module)) or callable(value):
        return {}
    fields = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith("__") and hasattr(value, name):
                fields[name] = getattr(value, name)
    return fields


def _holds_tensor(value, depth=0):
    if isinstance(value, torch.Tensor):
        return True
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        items = value.values()
    elif isinstance(value, (list, tuple)):
        items = value
    else:
        items = _fields(value).values()
    return any(_holds_tensor(item, depth + 1) for item in items)


def shapes_of(batch):
    """The shapes of all its tensors: batches of the same shapes cost a model the same."""
    shapes = []
    rebuild(batch, lambda tensor: shapes.append(tuple(tensor.shape)) or tensor)
    return tuple(shapes)


def bytes_of(batch):
    sizes = []
    rebuild(batch, lambda tensor: sizes.append(tensor.numel() * tensor.element_size()) or tensor)
    return sum(sizes)


def samples_of(batch, expected=None):
    """How many samples it has; `expected` is what the loader was told to put into one, where it was told.

    Else the leading length of its tensors, unless there is a tensor for each sample (sentences): then they differ in
    length, or another list (their labels) is as long as theirs.
    """
    lengths, lists = [], []
    _measure(batch, lengths, lists, 0)
    if expected and expected in lengths + lists:
        return expected
    if not lengths:
        return lists[-1] if lists else 1
    one_each = [length for length in lists if length > _PARTS and length == len(lengths)
                and (len(set(lengths)) > 1 or lists.count(length) > 1)]
    found = one_each[0] if one_each else lengths[0]
    return min(found, expected) if expected else found


def _measure(value, lengths, lists, depth):
    """Leading lengths of the arrays, and lengths of the lists and tuples, from the outside in."""
    if isinstance(value, PackedSequence):
        lengths.append(int(value.batch_sizes[0]))
        return
    shape = getattr(value, "shape", None)
    if shape is not None and not isinstance(value, type):
        if len(shape) > 0:
            lengths.append(int(shape[0]))
        return
    if depth > _DEEPEST or isinstance(value, (str, bytes)):
        return
    if isinstance(value, dict):
        items = value.values()
    elif isinstance(value, (list, tuple)):
        lists.append(len(value))
        items = value
    else:
        items = _fields(value).values()
    for item in items:
        _measure(item, lengths, lists, depth + 1)
