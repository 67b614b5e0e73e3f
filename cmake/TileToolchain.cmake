# SPDX-License-Identifier: MIT
# Compilers, LLVM, and the flags of all of our code.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  message(FATAL_ERROR "clang ${CMAKE_CXX_COMPILER_VERSION} has no usable std::source_location; "
                      "take g++ 12 or clang 22: -DCMAKE_CXX_COMPILER=clang++-22")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "g++ ${CMAKE_CXX_COMPILER_VERSION} does not know enough of C++23; "
                      "take g++ 12 or clang 22: -DCMAKE_CXX_COMPILER=g++-12")
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG") # -O3 costs build time; the interpreter's inner loops ask for it
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD_REQUIRED ON)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # With precompiled headers it takes the names of macros and the times of headers for what they are.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE}")
  if(CMAKE_GENERATOR MATCHES "Ninja")
    # It makes paths below the sources relative to the build's folder, where Ninja compiles, so that other checkouts find
    # the same objects.
    list(INSERT CMAKE_CXX_COMPILER_LAUNCHER 1 "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}")
  endif()
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
if(TILE_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

# Warnings are errors in our code; LLVM's and MLIR's headers are system headers. The prefix map makes
# messages with our own file names, and ccache's keys, the same in every checkout.
set(TILE_COMPILE_OPTIONS -Wall -Wextra -Werror -Wno-missing-field-initializers
    "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
if(CCACHE AND CMAKE_GENERATOR MATCHES "Ninja") # relative names are those of files in the sources, too
  cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE to_sources)
  cmake_path(RELATIVE_PATH PROJECT_BINARY_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE to_build)
  cmake_path(SET to_headers NORMALIZE "${to_build}/include")
  list(APPEND TILE_COMPILE_OPTIONS "-ffile-prefix-map=${to_sources}/=" "-ffile-prefix-map=${to_headers}/=build/include/")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND TILE_COMPILE_OPTIONS -fpch-preprocess) # ccache asks for it
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND TILE_COMPILE_OPTIONS -Wno-pass-failed) # a loop that is allowed to be vectorised need not be
endif()
if(TILE_SANITIZE)
  # LLVM's libraries are not instrumented: types that cross into them have no complete vtable to check.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr)
  list(APPEND TILE_COMPILE_OPTIONS ${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(${sanitizers} LINKER:--wrap=__asan_poison_memory_region)
endif()
if(TILE_SANITIZE_THREADS)
  list(APPEND TILE_COMPILE_OPTIONS -fsanitize=thread -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=thread)
endif()
set(TILE_FMT fmt::fmt)
add_library(tile_llvm_archives INTERFACE) # which the components of the compiler name
if(TILE_STATIC_LLVM)
  include(TileStaticLlvm)
endif()
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS}) # TableGen reads this property
