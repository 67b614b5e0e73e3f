// SPDX-License-Identifier: MIT
// A program as text of the tile dialect. In a node's text these places are filled:
//
//   $0 $1 ..   operands       $t0   their types      $e0   their element types
//   $r0 ..     results        $T0   their types      $E0   their element types
//   $s0 $S0    shape and elements of an operand's or a result's type, as in 8x4xi32
//   $x3        extent of axis 3
//   $b0        operand 0's shape with elements i1;   $P   operand 1's shape with operand 0's type as elements
//   $~a        a name of the node's own
//
//   "arith.addi $0, $1 : $T0" with operands 4, 5 and result 7   ->   %v7 = arith.addi %v4, %v5 :
//   tensor<8xi32>
#pragma once

#include "tools/fuzz/program.h"

#include <string>

namespace tile::fuzz {

std::string print(const Program &program);
// What `print` puts first: the launch, as `read_case` finds it again.
std::string header(const Program &program);

}   // namespace tile::fuzz
