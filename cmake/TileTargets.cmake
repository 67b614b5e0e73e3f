# SPDX-License-Identifier: MIT
# The three kinds of libraries, and what users include as <tile/...>.

# Users write #include <tile/dsl.h>; the header lies next to its source. Links in the build
# folder make the one look like the other before anything is installed.
set_property(GLOBAL PROPERTY TILE_PUBLIC_HEADERS "")
function(tile_public_headers)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/include/tile")
  foreach(header ${ARGN})
    get_filename_component(name "${header}" NAME)
    file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/${header}" "${CMAKE_BINARY_DIR}/include/tile/${name}" SYMBOLIC)
    set_property(GLOBAL APPEND PROPERTY TILE_PUBLIC_HEADERS "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
  endforeach()
endfunction()

# A library without LLVM, in C++20 because its headers are shared with code that includes MLIR.
function(tile_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE tile_flags)
endfunction()

# LLVM's and MLIR's libraries by name: their archives, or the two shared libraries.
add_library(tile_mlir INTERFACE)
target_include_directories(tile_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(tile_mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
if(NOT TILE_STATIC_LLVM)
  target_link_libraries(tile_mlir INTERFACE MLIR LLVM)
endif()

# A library that includes MLIR: C++20, because MLIR 22's headers do not compile as C++23 with clang 22.
function(tile_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_features(${name} PUBLIC cxx_std_20)
  foreach(library ${ARG_LINK})
    if(library MATCHES "^(MLIR|LLVM)")
      if(TILE_STATIC_LLVM)
        target_link_libraries(${name} PUBLIC ${library})
      endif()
    else()
      target_link_libraries(${name} PUBLIC ${library})
    endif()
  endforeach()
  target_link_libraries(${name} PUBLIC tile_mlir PRIVATE tile_flags)
endfunction()
