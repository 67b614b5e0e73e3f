# SPDX-License-Identifier: MIT
# Headers that nearly every file of a kind includes, read once for all of them: of a file that makes instructions, g++
# spends four fifths of its time in headers of MLIR and of the dialects. Every file names what it uses all the same:
# the clang preset builds without this.
#
#   tile_precompile(tile_mlir_headers)         makes a set, whose list is below
#   tile_use_precompiled_headers(target)       gives a library of the compiler the set for it
#
# A set fits targets of the same standard, optimisation and position independence: g++ refuses others.
set(tile_header_sets tile_mlir_headers tile_compiler_headers)
set(tile_mlir_headers_list
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/DialectImplementation.h> <mlir/IR/ImplicitLocOpBuilder.h> <mlir/IR/Matchers.h>
  <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h> <llvm/ADT/TypeSwitch.h>)
set(tile_compiler_headers_list ${tile_mlir_headers_list}
  <mlir/Conversion/LLVMCommon/Pattern.h> <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/LLVMIR/NVVMDialect.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/IR/IRMapping.h> <mlir/Pass/Pass.h> <llvm/ADT/MapVector.h>
  "${PROJECT_SOURCE_DIR}/dialects/tile/dialect.h" "${PROJECT_SOURCE_DIR}/dialects/tile_gpu/dialect.h")

# CMake has headers only as a part of something that is built.
function(tile_precompile name)
  if(TILE_COMPILE_TOGETHER)
    set(source "${PROJECT_BINARY_DIR}/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
    add_library(${name} OBJECT)
    tile_set_up(${name} ON "${source}")
    target_precompile_headers(${name} PRIVATE ${${name}_list})
    if(name STREQUAL "tile_compiler_headers")
      add_dependencies(${name} tile_dialect_headers tile_gpu_dialect_headers) # which TableGen writes
    endif()
  endif()
endfunction()

function(tile_use_precompiled_headers target)
  if(NOT target IN_LIST tile_compiler_components)
    return()
  elseif(target MATCHES "_dialect$")
    set(headers tile_mlir_headers)
  else()
    set(headers tile_compiler_headers)
  endif()
  if(TARGET ${headers})
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()
