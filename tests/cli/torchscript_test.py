"""`profile --torchscript`: networks of the user's own."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, TINY  # noqa: E402

import torch  # noqa: E402


class Convolution(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3)
        self.norm = torch.nn.BatchNorm2d(8)
        self.linear = torch.nn.Linear(8, 10)

    def forward(self, images):
        return self.linear(torch.relu(self.norm(self.convolution(images))).mean((2, 3)))


class Tokens(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(50, 16)
        self.linear = torch.nn.Linear(16, 50)

    def forward(self, tokens):
        return self.linear(self.embedding(tokens))


class Nothing(torch.nn.Module):
    def forward(self, images):
        return images.mean((2, 3))


class Torchscript(CommandTest):
    def save(self, network):
        torch.jit.script(network).save(str(self.folder / "network.pt"))

    def profile(self, *flags):
        return self.run_command([*TINY, "--torchscript", "network.pt", "--out", "out", *flags])

    def test_an_image_network_is_profiled(self):
        self.save(Convolution())
        result = self.profile("--input-shape", "3x16x16", "--classes", "10")
        self.assertEqual(result.returncode, 0, result.stderr)
        workload = self.read_profile("out")["workload"]
        # 3*8*9 + 8 of the convolution, 8 + 8 of the norm, 8*10 + 10 of the linear layer.
        self.assertEqual(workload["parameters"], 216 + 8 + 16 + 80 + 10)
        self.assertEqual(workload["gradient_tensors"], 6)
        self.assert_nothing_left()

    def test_a_token_network_is_profiled(self):
        self.save(Tokens())
        result = self.profile("--input-shape", "12", "--vocabulary", "50")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.read_profile("out")["workload"]["sequence_length"], 12)

    def test_files_that_cannot_be_trained_are_named_with_the_fix(self):
        self.assert_one_error(self.profile(), "cannot read", "--torchscript")
        (self.folder / "network.pt").write_bytes(b"no network at all")
        self.assert_one_error(self.profile(), "is no TorchScript file", "torch.jit.script")
        self.save(Nothing())
        self.assert_one_error(self.profile(), "has no parameters", "requires_grad")
        self.save(Convolution())
        result = self.profile("--input-shape", "3x16x16", "--classes", "7")
        self.assert_one_error(result, "does not fit 7 classes", "--classes 10")
        result = self.profile("--input-shape", "4x16x16", "--classes", "10")
        self.assert_one_error(result, "does not take samples of 4x16x16", "--input-shape")
        self.assert_nothing_left()

    def test_shapes_that_are_none_are_refused_before_anything_starts(self):
        for shape in ("3x", "axb", "0x3x3", "3x16", "128"):
            result = self.profile("--input-shape", shape)
            self.assert_one_error(result, f"--input-shape '{shape}'", "3x224x224")
        self.assert_one_error(self.profile("--image-size", "64"), "do not go with --torchscript", "--input-shape")

    def test_the_help_says_that_such_files_run_code(self):
        self.assertIn("RUNS THE CODE", self.run_command(["profile", "--help"]).stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
