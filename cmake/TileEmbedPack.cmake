# SPDX-License-Identifier: MIT
# Compiled kernels as a part of a program or a library, which then starts without compiling (docs/shipping.md):
#
#   tile_embed_pack(mine ARCHS sm_80 sm_90a)                           all kernels of the target's TILE_KERNEL_LIBRARY
#   tile_embed_pack(mine ARCHS sm_90a KERNELS axpy product)            some of them
#   tile_embed_pack(mine ARCHS sm_90a SHIPPED gemm OPTIONS --dtype=bf16)    kernels of <tile/...>
#
#   TUNINGS file   lines of `tile tune --table`          OPTIONS ...   further options of `tile pack make`
#
# It may be called several times for a target, behind its last target_link_libraries(). The kernels are compiled
# while the target is built, by the command `tile`; no GPU is needed. The command loads the kernels of a program as a
# library: a copy of the target, <target>_kernels, which is linked with tile::jit in place of tile::launch.
include_guard(GLOBAL)

function(tile_embed_pack target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "TUNINGS" "ARCHS;KERNELS;SHIPPED;OPTIONS")
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "tile_embed_pack: there is no target ${target}")
  elseif(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tile_embed_pack(${target}): unknown argument ${ARG_UNPARSED_ARGUMENTS}; "
                        "there are ARCHS, KERNELS, SHIPPED, TUNINGS and OPTIONS")
  elseif(NOT ARG_ARCHS)
    message(FATAL_ERROR "tile_embed_pack(${target}) needs ARCHS, such as sm_80 sm_90a")
  elseif(NOT TARGET tile::jit)
    message(FATAL_ERROR "tile_embed_pack(${target}) compiles kernels: "
                        "find_package(tile) must not leave out the component jit")
  elseif(ARG_KERNELS AND ARG_SHIPPED)
    message(FATAL_ERROR "tile_embed_pack(${target}): KERNELS are of the target, SHIPPED of tile; "
                        "call it once for each")
  endif()

  get_property(number TARGET ${target} PROPERTY TILE_EMBEDDED_PACKS)
  if(NOT number)
    set(number 0)
  endif()
  math(EXPR next "${number} + 1")
  set_property(TARGET ${target} PROPERTY TILE_EMBEDDED_PACKS ${next})

  set(name ${target}_pack_${number})
  set(pack "${CMAKE_CURRENT_BINARY_DIR}/${name}.tilepack")
  list(JOIN ARG_ARCHS "," archs)
  set(arguments pack make "${pack}" ${ARG_KERNELS} ${ARG_SHIPPED} --arch ${archs} ${ARG_OPTIONS})
  set(needed "")
  if(NOT ARG_SHIPPED)
    tile_kernels_module(${target})
    list(APPEND arguments --from "$<TARGET_FILE:${target}_kernels>")
    list(APPEND needed ${target}_kernels "$<TARGET_FILE:${target}_kernels>")
  endif()
  if(ARG_TUNINGS)
    get_filename_component(tunings "${ARG_TUNINGS}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND arguments --tunings "${tunings}")
    list(APPEND needed "${tunings}")
  endif()
  add_custom_command(OUTPUT "${pack}"
    COMMAND tile::command ${arguments}
    DEPENDS tile::command ${needed}
    COMMENT "Compiling the kernels of ${target}" VERBATIM)

  # Its bytes, and what tells launches of them before main().
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  string(MAKE_C_IDENTIFIER "tile_${name}" symbol)
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[// Written by tile_embed_pack.
#include <cstddef>
namespace tile::detail {
void embed_pack(const std::byte *begin, const std::byte *end, const char *name) noexcept;
}
extern "C" const std::byte @symbol@[], @symbol@_end[];
asm(".pushsection .rodata.@symbol@, \"a\"\n"
    ".balign 16\n"
    ".hidden @symbol@\n.globl @symbol@\n@symbol@:\n"
    ".incbin \"@pack@\"\n"
    ".hidden @symbol@_end\n.globl @symbol@_end\n@symbol@_end:\n"
    ".byte 0\n"
    ".popsection\n");
static const bool is_embedded = (tile::detail::embed_pack(@symbol@, @symbol@_end, "@name@"), true);
]])
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${pack}")
  add_library(${name} OBJECT "${source}" "${pack}")
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    # Of an archive, a linker would leave out what nobody calls.
    target_link_libraries(${target} INTERFACE "$<TARGET_OBJECTS:${name}>")
    add_dependencies(${target} ${name})
  else()
    target_link_libraries(${target} PRIVATE ${name})
  endif()
endfunction()

# The target as a library that the command `tile` loads.
function(tile_kernels_module target)
  set(module ${target}_kernels)
  if(TARGET ${module})
    return()
  endif()
  get_target_property(libraries ${target} LINK_LIBRARIES)
  list(FILTER libraries EXCLUDE REGEX "^${target}_pack_[0-9]+$")
  list(TRANSFORM libraries REPLACE "^tile::launch$" "tile::jit")
  add_library(${module} MODULE EXCLUDE_FROM_ALL)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    if(NOT IS_ABSOLUTE "${source}" AND NOT source MATCHES "^\\$<")
      set(source "${folder}/${source}")
    endif()
    target_sources(${module} PRIVATE "${source}")
  endforeach()
  target_link_libraries(${module} PRIVATE ${libraries})
  foreach(property COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES INCLUDE_DIRECTORIES CXX_STANDARD CXX_EXTENSIONS)
    get_target_property(value ${target} ${property})
    if(value)
      set_target_properties(${module} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  set_target_properties(${module} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
