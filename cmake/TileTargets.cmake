# SPDX-License-Identifier: MIT
# What the components of the project build with: libraries, programs and tests, each with MLIR or without.
#
#   tile_add_library(tile_runtime error.cpp ... LINK fmt::fmt)        no MLIR header is included
#   tile_add_mlir_library(tile_dialect dialects/tile/ops.cpp ... LINK MLIRIR)   MLIR headers are
#   tile_add_executable, tile_add_mlir_executable                     programs, in build/bin
#   tile_add_test, tile_add_mlir_test                                 GoogleTest programs, in build/tests
#   tile_public_headers(error.h ...)                                  what users include as <tile/error.h>
#
# Sources and LINK take what target_sources and target_link_libraries take. LINK_PRIVATE names libraries
# whose headers stay out of the target's own headers. CXX23 is for targets whose headers nobody includes
# together with MLIR's: kernels, programs, tests.

# Users write #include <tile/dsl.h>; the header lies next to its source. Links in the build folder make the
# one look like the other before anything is installed.
set_property(GLOBAL PROPERTY TILE_PUBLIC_HEADERS "")
file(REMOVE_RECURSE "${PROJECT_BINARY_DIR}/include/tile") # links to headers that are gone
function(tile_public_headers)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include/tile")
  foreach(header ${ARGN})
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
    get_filename_component(name "${header}" NAME)
    if(NOT EXISTS "${source}")
      message(FATAL_ERROR "tile_public_headers: no file ${source}")
    endif()
    get_property(headers GLOBAL PROPERTY TILE_PUBLIC_HEADERS)
    foreach(other ${headers})
      if(other MATCHES "/${name}$")
        message(FATAL_ERROR "tile_public_headers: <tile/${name}> would be both ${other} and ${source}")
      endif()
    endforeach()
    file(CREATE_LINK "${source}" "${PROJECT_BINARY_DIR}/include/tile/${name}" SYMBOLIC)
    set_property(GLOBAL APPEND PROPERTY TILE_PUBLIC_HEADERS "${source}")
  endforeach()
endfunction()

# LLVM's and MLIR's headers, and their code: the two shared libraries. Else it is in the compiler's library.
add_library(tile_mlir INTERFACE)
target_include_directories(tile_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(tile_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(tile_mlir INTERFACE ${tile_llvm_definitions})
if(NOT TILE_STATIC_LLVM)
  # By path, so that a project that uses the installed package need not run LLVM's CMake package.
  find_library(TILE_LIBMLIR NAMES MLIR PATHS "${LLVM_LIBRARY_DIR}" NO_DEFAULT_PATH REQUIRED)
  find_library(TILE_LIBLLVM NAMES LLVM PATHS "${LLVM_LIBRARY_DIR}" NO_DEFAULT_PATH REQUIRED)
  target_link_libraries(tile_mlir INTERFACE "${TILE_LIBMLIR}" "${TILE_LIBLLVM}")
endif()

# Standard, warnings, include paths and libraries of a target; `mlir` is ON when it includes MLIR.
function(tile_set_up target mlir)
  cmake_parse_arguments(ARG "CXX23" "" "LINK;LINK_PRIVATE" ${ARGN})
  target_sources(${target} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  if(ARG_CXX23)
    if(mlir)
      message(FATAL_ERROR "${target}: MLIR 22's headers do not compile as C++23 with clang 22")
    endif()
    target_compile_features(${target} PRIVATE cxx_std_23)
  endif()
  target_compile_options(${target} PRIVATE ${TILE_COMPILE_OPTIONS})
  if(mlir AND CMAKE_CXX_FLAGS_RELEASE MATCHES "-O2")
    # It spends its time in LLVM: to compile kernels takes as long, to build it takes less. (Tests ask for less still.)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1>")
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TILE_COMPILE_TOGETHER} UNITY_BUILD_MODE GROUP)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
                                              "$<INSTALL_INTERFACE:include>")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_include_directories(${target} SYSTEM PRIVATE "${PROJECT_BINARY_DIR}") # what TableGen writes

  # Archives of LLVM and MLIR by name are for the compiler's library, where it has them inside.
  set(scope PUBLIC)
  foreach(kind LINK LINK_PRIVATE)
    set(libraries ${ARG_${kind}})
    list(TRANSFORM libraries REPLACE "^fmt::fmt$" "${TILE_FMT}")
    set(archives ${libraries})
    list(FILTER archives INCLUDE REGEX "^(MLIR|LLVM)")
    if(TILE_STATIC_LLVM AND target IN_LIST tile_compiler_components)
      target_link_libraries(tile_llvm_archives INTERFACE ${archives})
    endif()
    list(FILTER libraries EXCLUDE REGEX "^(MLIR|LLVM)")
    tile_link_items(${target} libraries ${libraries})
    target_link_libraries(${target} ${scope} ${libraries})
    set(scope PRIVATE)
  endforeach()
  if(mlir)
    target_link_libraries(${target} PRIVATE tile_mlir)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set(may_compile ${ARG_LINK} ${ARG_LINK_PRIVATE})
    list(FILTER may_compile INCLUDE REGEX "^tile_")
    list(REMOVE_ITEM may_compile ${tile_runtime_components} ${tile_components_below_the_compiler})
    if(may_compile)
      add_dependencies(${target} tile_compiler_library) # which it may load
    endif()
  endif()
  if(TILE_SANITIZE AND type STREQUAL "EXECUTABLE")
    target_link_libraries(${target} PRIVATE tile_sanitized_llvm)
  endif()
  if(mlir)
    tile_use_precompiled_headers(${target})
  endif()
endfunction()

# Files that the compiler reads as one: most of the time that a file with MLIR takes is MLIR's headers, sixteen
# seconds of the eighteen of a pass that makes instructions. Names of a file's own are then names of its group. Every
# file names what it uses all the same: the clang preset builds each alone and finds what is missing.
#
#   tile_compile_together(tile_lowering_ptx compiler/lowering/ptx/atomics.cpp compiler/lowering/ptx/memory.cpp ...)
function(tile_compile_together group)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()

# The same for many small files that nobody needs to find in a group, such as tests.
function(tile_compile_in_batches target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# What is part of a library of ours is no archive beside it.
function(tile_add_component name mlir)
  tile_library_of(${name} library)
  if(library)
    add_library(${name} OBJECT)
  else()
    add_library(${name} STATIC)
  endif()
  tile_set_up(${name} ${mlir} ${ARGN})
endfunction()

function(tile_add_library name)
  tile_add_component(${name} OFF ${ARGN})
endfunction()

function(tile_add_mlir_library name)
  tile_add_component(${name} ON ${ARGN})
endfunction()

function(tile_add_executable name)
  add_executable(${name})
  tile_set_up(${name} OFF ${ARGN})
endfunction()

function(tile_add_mlir_executable name)
  add_executable(${name})
  tile_set_up(${name} ON ${ARGN})
endfunction()

# GoogleTest programs: <name> is its file name too. lit runs and counts them with everything else
# (test/unit/lit.cfg.py finds them in build/tests by their names, which end in _tests).
function(tile_add_gtest_program name mlir)
  if(NOT name MATCHES "_tests$")
    message(FATAL_ERROR "tile_add_test: ${name} is to end in _tests, that is how lit finds it")
  endif()
  add_executable(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  tile_set_up(${name} ${mlir} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gmock)
  set_property(GLOBAL APPEND PROPERTY TILE_TEST_TARGETS ${name})
endfunction()

function(tile_add_test name)
  tile_add_gtest_program(${name} OFF ${ARGN})
endfunction()

function(tile_add_mlir_test name)
  tile_add_gtest_program(${name} ON ${ARGN})
endfunction()
