// SPDX-License-Identifier: MIT
// The tool's own promises: passes by name, IR after each, reproducers, understandable mistakes.
// RUN: tile-opt %s --tile-simplify --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: tile-opt %s --tile-pipeline | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --pass-pipeline='builtin.module(func.func(tile-simplify))' | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --tile-pipeline --tile-layout-pipeline=target=sm_90a --tile-thread-pipeline --tile-llvm-pipeline | FileCheck %s --check-prefix=WHOLE
// RUN: not tile-opt %s --tile-simplfy 2>&1 | FileCheck %s --check-prefix=MISSPELT
// RUN: not tile-opt %s --pass-pipeline='builtin.module(tile-fly)' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt %t.absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: tile-opt --help | FileCheck %s --check-prefix=HELP
// RUN: tile-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS

// A reproducer carries its own pipeline.
// RUN: tile-opt %S/Inputs/reproducer.mlir --run-reproducer | FileCheck %s --check-prefix=RESULT

// DUMP: IR Dump After TileSimplify (tile-simplify)
// RESULT: func.func @f
// RESULT-NEXT: return %arg0
// WHOLE: llvm.func @f
// WHOLE-SAME: nvvm.kernel
// MISSPELT: Unknown command line argument '--tile-simplfy'
// MISSPELT: Did you mean '--tile-simplify'?
// UNKNOWN: 'tile-fly' does not refer to a registered pass or pass pipeline
// ABSENT: cannot open input file
// HELP: --tile-assign-layouts
// HELP: --tile-gpu-distribute
// HELP: --tile-gpu-to-llvm
// HELP: --tile-simplify
// HELP: --tile-layout-pipeline
// HELP: --tile-llvm-pipeline
// HELP: --tile-pipeline
// HELP: --tile-thread-pipeline
// DIALECTS: arith,builtin,cf,func,llvm,math,nvvm,scf,tile,tile_gpu,ub

func.func @f(%x: i32) -> i32 {
  %one = arith.constant 1 : i32
  %0 = tile.divsi %x, %one : i32
  return %0 : i32
}
