#!/usr/bin/env bash
# Installs those of the listed Debian packages that are missing: scripts/install-packages.sh LIST...
# "npm/npm" is the package npm, and is not needed where there is a command npm: other packages than Debian's bring it.
set -euo pipefail

wanted=$(sed -e 's/#.*//' "$@" | tr -s '[:space:]' ' ')
missing=()
for entry in $wanted; do
  package=${entry%%/*}
  [ "$entry" != "$package" ] && command -v "${entry#*/}" >/dev/null && continue
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  become_root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  become_root=(sudo)
elif command -v sudo >/dev/null && [ -t 0 ]; then
  become_root=(sudo)
else
  echo "error: these Debian packages are missing, and installing them needs root: ${missing[*]}" >&2
  echo "  try: apt-get install ${missing[*]}" >&2
  exit 1
fi

echo "installing ${#missing[@]} Debian packages: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${become_root[@]}" apt-get update -qq
"${become_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
