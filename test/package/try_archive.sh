# SPDX-License-Identifier: MIT
# usage: try_archive.sh FOLDER, beside first.cpp and launch.cpp; FOLDER is the unpacked archive, which may lie anywhere.
# What the README promises of it, with a C++ compiler and nothing else.
set -eu
package=$PWD/$1
fail() {
  echo "try_archive.sh: $*" >&2
  exit 1
}

g++ -std=c++23 first.cpp -o first -I"$package/include" -L"$package/lib" -ltile_kernels -ltile -ltile_runtime \
  -Wl,-rpath,"$package/lib"
[ "$(TILE_DEVICE=simulator ./first)" = 50 ] || fail "the README's program does not print 50 on the simulator"
[ "$(TILE_DEVICE=interpreter ./first)" = 50 ] || fail "the README's program does not print 50 on the interpreter"

# From C, by a header that the tool makes.
examples=$package/share/doc/tile/docs/examples
g++ -std=c++23 -shared -fPIC "$examples/exported.cpp" -o libmine.so -I"$package/include" -L"$package/lib" -ltile -ltile_runtime \
  -Wl,-rpath,"$package/lib"
"$package/bin/tile" header --from ./libmine.so --out mine.h
gcc -std=c99 "$examples/client.c" -o client -I. -I"$package/include" -L. -lmine -L"$package/lib" -ltile -Wl,-rpath,"$PWD:$package/lib"
./client | grep -q '^12 14 16 18 20' || fail "the example in C does not print what its page shows"

# Without the compiler, and the libraries inside.
g++ -std=c++23 launch.cpp -o launch -I"$package/include" -L"$package/lib" -Wl,--exclude-libs,libtile_launch.a \
  -ltile_launch -pthread -ldl
./launch || fail "a program of libtile_launch.a does not name what it lacks"
! ldd launch | grep -E 'tile|LLVM|MLIR|fmt' || fail "a program of libtile_launch.a needs the libraries above"

"$package/bin/tile" run gemm --device simulator --m 64 --n 64 --k 64 >run.txt || fail "$(cat run.txt)"
"$package/bin/tile" dump gemm --stage ptx >gemm.ptx && grep -q wgmma gemm.ptx || fail "tile dump gives no PTX of gemm"
"$package/bin/tile" pack make gemm.tilepack gemm --arch sm_80 --dtype f16 >pack.txt 2>&1 || fail "$(cat pack.txt)"
"$package/bin/tile-opt" --version >/dev/null || fail "tile-opt does not start"
rm -rf first libmine.so mine.h client launch run.txt gemm.ptx gemm.tilepack pack.txt
