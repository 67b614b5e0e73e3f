# SPDX-License-Identifier: MIT
# Compilers, LLVM, and the flags of all of our code.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  message(FATAL_ERROR "clang ${CMAKE_CXX_COMPILER_VERSION} has no usable std::source_location; "
                      "take g++ 12 or clang 22: -DCMAKE_CXX_COMPILER=clang++-22")
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG") # -O3 costs build time; the interpreter's inner loops ask for it
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD_REQUIRED ON)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()
find_program(LLD NAMES ld.lld-22 ld.lld PATHS /usr/lib/llvm-22/bin)
if(LLD)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ takes only the name `lld`, which Debian's lld-22 has below LLVM's own folder.
    add_link_options(-fuse-ld=lld -B/usr/lib/llvm-22/bin)
  else()
    add_link_options(--ld-path=${LLD})
  endif()
endif()

find_package(MLIR REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "tile needs LLVM and MLIR 22, found ${LLVM_PACKAGE_VERSION}: run tools/dev setup")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)

# Warnings are errors in our code; LLVM's and MLIR's headers are system headers.
add_library(tile_flags INTERFACE)
target_compile_options(tile_flags INTERFACE -Wall -Wextra -Werror -Wno-missing-field-initializers
  "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
target_include_directories(tile_flags INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/include")
target_include_directories(tile_flags SYSTEM INTERFACE "${CMAKE_BINARY_DIR}") # what TableGen writes
if(TILE_SANITIZE)
  target_compile_options(tile_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -g)
  target_link_options(tile_flags INTERFACE -fsanitize=address,undefined)
endif()
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS}) # TableGen reads this property
