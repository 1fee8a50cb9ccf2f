"""Where facts were read: one short name per source, so that tables refer to it."""

import re

# Words of the tables for another row's source.
SAME = {
    "ml-engineering": "stas00/ml-engineering@744d01e compute/accelerator/README.md + network/README.md",
    "gcp_allocator": "huggingface.co/spaces/Elfsong/gcp_allocator (copy of GCP GPU table)",
    "gcp 12-2023 table": "public copy (GCP tables 12-2023)",
    "lijun99/GPU-Resources": "lijun99/GPU-Resources NVIDIA_GPU_SM.md",
    "GCP docs copy": "GCP docs accelerator-optimized-machines / gpus copy 2026-04",
}
DATE = re.compile(r"(20\d\d-\d\d-\d\d|20\d\d-\d\d|\b20\d\d\b)")


class Sources:
    def __init__(self):
        self._names = {}
        self.rows = []

    def name(self, where, date=""):
        """The short name of a source, which is new on first use."""
        where = SAME.get(where, where).removeprefix("github.com/")
        if where in self._names:
            return self._names[where]
        slug = re.sub(r"[^a-z0-9.]+", "-", where.lower()).strip("-")
        slug = slug if len(slug) <= 64 else slug[:64].rsplit("-", 1)[0]
        taken = set(self._names.values())
        unique, number = slug, 1
        while unique in taken:
            number += 1
            unique = f"{slug}-{number}"
        found = DATE.search(where)
        self._names[where] = unique
        self.rows.append({"source": unique, "where": where, "date": date or (found.group(1) if found else "")})
        return unique

    def names(self, text, date="", same=""):
        """The names of a list that is joined by semicolons; `same` stands for "same catalog"."""
        parts = [same if part == "same catalog" else part for part in text.split("; ") if part]
        return ";".join(dict.fromkeys(self.name(part, date) for part in parts))
