#!/usr/bin/env bash
# From a fresh Debian 12 machine to a first report: installs what is missing, builds, makes a small data set and
# measures where the default network waits on two machines, emulated on this one. Writes report.html. Arguments go to
# `stallscope profile`.
set -euo pipefail
cd "$(dirname "$0")"

scripts/install-packages.sh scripts/packages-build.txt
echo "building (the first time takes some minutes)" >&2
scripts/build.sh

data=build/run-data
[ -e "$data/stallscope-dataset.json" ] || build/stallscope dataset make "$data" --images 2000

machines=(--nproc-per-node 1 --emulate nodes=2,bandwidth=1Gbit)
if ! build/stallscope profile "${machines[@]}" --dry-run --quiet >/dev/null; then
  echo "going on with two ranks of one machine" >&2
  machines=(--nproc-per-node 2)
fi
out=stallscope-$(date +%Y%m%d-%H%M%S)
build/stallscope profile --model resnet18 --image-size 64 --batch 8 --data "$data" "${machines[@]}" --max-time 3m \
  --sample 100ms --out "$out" --html report.html --force "$@"
echo
echo "Open report.html in a browser. The profile is in $out/profile.json, every step in $out/steps.csv."
