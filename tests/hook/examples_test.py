"""The programs of examples/, two ranks each, as the README tells users to profile them."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from hook_support import EXAMPLES, RunTest, skip_without_torch  # noqa: E402


class Examples(RunTest):
    FLAGS = ("--nproc-per-node", "2", "--launches", "1", "--max-time", "45s")

    def setUp(self):
        super().setUp()
        self.images = self.folder / "images"
        made = self.run_command(["dataset", "make", str(self.images), "--images", "600", "--size", "96x72", "--classes", "4",
                                 "--tokens", "400000"])
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_images(self):
        document = self.profile(EXAMPLES / "images.py", "--data", self.images, "--image-size", "32", "--batch", "4",
                                "--workers", "1", flags=("--nproc-per-node", "2", "--max-time", "75s"))
        self.assert_rungs(document, "solo", "crowd", "node", "warm", "cold")
        # torchvision's ResNet-18, with as many classes as the folder has.
        self.assertEqual(document["workload"]["gradient_tensors"], 62)
        self.assertEqual(document["workload"]["parameters"], 11689512 - 1000 * 513 + 4 * 513)

    def test_trainer_reads_a_group_ahead(self):
        document = self.profile(EXAMPLES / "trainer.py", "--data", self.images, "--image-size", "32", "--batch", "4",
                                "--workers", "1", flags=self.FLAGS)
        self.assertEqual(document["workload"]["accumulate"], 4)
        self.assertLessEqual({"crowd", "node", "warm"}, set(document["conditions"]))

    def test_language_from_a_mapped_file(self):
        document = self.profile(EXAMPLES / "language.py", "--data", self.images / "tokens.u16", "--batch", "2",
                                flags=("--nproc-per-node", "2", "--launches", "1", "--max-time", "3m"))
        self.assertLessEqual({"crowd", "node", "warm", "cold"}, set(document["conditions"]))

    def test_gan_with_two_models_and_loaders(self):
        document = self.profile(EXAMPLES / "gan.py", "--data", self.images, "--batch", "4", flags=self.FLAGS)
        self.assertLessEqual({"crowd", "node", "warm"}, set(document["conditions"]))
        self.assertEqual(document["workload"]["accumulate"], 1)


if __name__ == "__main__":
    skip_without_torch()
    unittest.main(verbosity=2)
