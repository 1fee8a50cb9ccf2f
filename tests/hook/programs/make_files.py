"""Writes what the programs read: COUNT files of random bytes, and `tokens.u16`. Needs no torch.

    make_files.py DIR [--count 512] [--bytes 4096] [--tokens 100000]
"""

import argparse
import pathlib
import random


def make_files(folder, count=512, size=4096, tokens=100000, seed=1):
    """The same seed gives the same bytes."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    numbers = random.Random(seed)
    for index in range(count):
        (folder / f"{index:06}.bin").write_bytes(numbers.getrandbits(8 * size).to_bytes(size, "little"))
    # Small tokens: the high byte of each is 0.
    low = numbers.getrandbits(8 * tokens).to_bytes(tokens, "little")
    (folder / "tokens.u16").write_bytes(b"".join(bytes((byte, 0)) for byte in low))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--count", type=int, default=512)
    parser.add_argument("--bytes", type=int, default=4096, help="in a file; at least 256")
    parser.add_argument("--tokens", type=int, default=100000)
    options = parser.parse_args()
    make_files(options.folder, options.count, options.bytes, options.tokens)


if __name__ == "__main__":
    main()
