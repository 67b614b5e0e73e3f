# SPDX-License-Identifier: MIT
# usage: try_deb.sh PACKAGE.deb, as root, beside first.cpp: installs it, uses it where the system looks, removes it.
set -eu
dpkg -i "$1" >/dev/null
g++ -std=c++23 first.cpp -o first -ltile_kernels -ltile -ltile_runtime
[ "$(TILE_DEVICE=simulator ./first)" = 50 ]
tile list >/dev/null
tile-opt --version >/dev/null
dpkg -r tile >/dev/null
! command -v tile
rm -f first
