"""What the hook makes of a program's batches, without a program."""

import collections
import dataclasses
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))
from support import skip_all  # noqa: E402

PYTHON = "/usr/bin/python3"


@dataclasses.dataclass(frozen=True)
class Frozen:
    values: object
    names: list


class Slotted:
    __slots__ = ("values",)

    def __init__(self, values):
        self.values = values


Pair = collections.namedtuple("Pair", "values label")


class Rebuilt(unittest.TestCase):
    def test_every_tensor_is_reached_and_the_original_kept(self):
        ones = torch.ones(4, 2)
        for batch, found in (
            (Frozen(ones, ["a"]), lambda batch: batch.values),
            (Slotted(ones), lambda batch: batch.values),
            (Pair(ones, 3), lambda batch: batch.values),
            (collections.UserDict(values=ones), lambda batch: batch["values"]),
            (collections.defaultdict(list, values=[ones]), lambda batch: batch["values"][0]),
            ({"outer": (Frozen([ones], []),)}, lambda batch: batch["outer"][0].values[0]),
            (torch.nn.utils.rnn.pack_sequence([ones, ones]), lambda batch: batch.data),
        ):
            with self.subTest(type(batch).__name__):
                copied = batches.rebuild(batch, lambda tensor: tensor + 1)
                self.assertIs(type(copied), type(batch))
                self.assertEqual(float(found(copied).mean()), 2)
                self.assertEqual(float(found(batch).mean()), 1)

    def test_what_cannot_be_copied_stays(self):
        for batch in (torch.Size([3, 4]), "words", 7, None, range(3), {1, 2}, print):
            self.assertEqual(batches.rebuild(batch, lambda tensor: tensor), batch)

    def test_an_object_that_refers_to_itself_comes_to_an_end(self):
        batch = Frozen([], [])
        batch.names.append(batch)
        self.assertIsNotNone(batches.rebuild(batch, lambda tensor: tensor))


class Samples(unittest.TestCase):
    def count(self, expected_samples, batch, told=None):
        self.assertEqual(batches.samples_of(batch, told), expected_samples)

    def test_a_tensors_leading_length(self):
        self.count(8, [torch.ones(8, 3), torch.ones(8)])
        self.count(6, {"x": numpy.ones((6, 2))})

    def test_images_of_any_size_are_as_many_as_the_loader_was_told(self):
        images = tuple(torch.ones(3, 5, width) for width in range(1, 9))
        self.count(8, (images, [{}] * 8), told=8)

    def test_sentences_are_counted_where_nothing_was_told(self):
        self.count(4, tuple(torch.ones(length) for length in (3, 5, 7, 9)))
        self.count(4, (tuple(torch.ones(10) for _ in range(4)), [{"label": 1}] * 4))

    def test_many_views_are_not_samples(self):
        self.count(16, ([torch.ones(16, 3) for _ in range(8)], torch.ones(16)))

    def test_the_last_batch_of_an_epoch_is_smaller(self):
        self.count(4, [torch.ones(4, 3), torch.ones(4)], told=8)

    def test_two_views_of_a_sample_are_one_sample(self):
        self.count(8, torch.ones(16, 3), told=8)

    def test_packed_sentences(self):
        self.count(2, torch.nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)]))


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
        skip_all(f"{PYTHON} has no torch")
    import numpy
    import torch

    from stallscope_hook import batches

    unittest.main(verbosity=2)
