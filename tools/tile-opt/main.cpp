// SPDX-License-Identifier: MIT
#include "tools/streams/standard_streams.h"
#include "tools/tile-opt/tile_opt.h"

int main(int argc, char **argv) {
  tile::tool::hold_standard_streams();
  return tile::tool::finish_standard_streams("tile-opt", tile::tool::optimize(argc, argv));
}
