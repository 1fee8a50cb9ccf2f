"""Works without torch: counts the bytes of its own file, again and again."""

import argparse
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=1000000)
    parser.add_argument("--steps", type=int, help="end after so many")
    options = parser.parse_args()
    for step in range(options.epochs if options.steps is None else options.steps):
        with open(__file__, "rb") as file:
            print(f"step {step}: {len(file.read())} bytes", flush=True)
        time.sleep(0.01)


if __name__ == "__main__":
    main()
