"""A program that is a package, with imports of its own. From the folder above: `python3 -m module_pkg.train`."""
