// SPDX-License-Identifier: MIT
// What `tile-opt` does. It is in the compiler's library, beside LLVM, and this header includes none of
// LLVM's.
#pragma once

namespace tile::tool {

int optimize(int argc, char **argv);   // what main() is to return

}   // namespace tile::tool
