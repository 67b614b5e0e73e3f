# SPDX-License-Identifier: MIT
# Which components are together in which library (docs/design.md, Two sides): what a launch of lowered kernels needs; on
# top of it the language and its devices; and the compiler, which the second loads when there is something to compile.
#
# tile_set_up gives whoever links a component its library instead, so that no code is in a process twice.
set(tile_config_dir lib/cmake/tile) # below the place of an installation
set(tile_runtime_components tile_cuda tile_runtime)
set(tile_launching_components tile_c_api tile_devices tile_dsl tile_compiler_api tile_host tile_layout tile_simulator tile_target)
set(tile_compiler_components tile_analysis tile_axis_facts tile_codegen tile_compiler_inside tile_dialect tile_distribute
  tile_float_ring tile_gpu_dialect tile_host_code tile_interpreter tile_layout_choice tile_opt_driver tile_pipeline tile_ptx
  tile_registration tile_to_llvm tile_to_ptx tile_to_simulator tile_transforms tile_warpgroup_fragments)
set(tile_components_below_the_compiler tile_host tile_layout tile_simulator tile_target) # which know nothing of the compiler
set(tile_libraries tile_runtime_library tile_library tile_compiler_library)
set(tile_runtime_library_components ${tile_runtime_components})
set(tile_library_components ${tile_launching_components})
set(tile_compiler_library_components ${tile_compiler_components})

# The library of a component; empty for what is in none.
function(tile_library_of component out)
  set(${out} "" PARENT_SCOPE)
  foreach(library ${tile_libraries})
    if(component IN_LIST ${library}_components)
      set(${out} ${library} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# What a target links for the components that it names: those of its own library by themselves, of other libraries these.
function(tile_link_items target out)
  tile_library_of(${target} own)
  set(items "")
  foreach(item ${ARGN})
    tile_library_of(${item} library)
    if(library AND NOT library STREQUAL own)
      set(item ${library})
    endif()
    list(APPEND items ${item})
  endforeach()
  list(REMOVE_DUPLICATES items)
  set(${out} ${items} PARENT_SCOPE)
endfunction()

# What shared libraries of ours have in common. FILE: its name, without lib and .so.
function(tile_finish_shared_library name file)
  # A call within a library goes straight there, as in an archive.
  target_link_options(${name} PRIVATE LINKER:-Bsymbolic-functions LINKER:--no-undefined)
  if(TILE_STATIC_LLVM OR NOT name STREQUAL "tile_compiler_library")
    set(script "${PROJECT_SOURCE_DIR}/cmake/exported_names.ld")
    target_link_options(${name} PRIVATE "LINKER:--version-script,${script}")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${script}")
  endif()
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${file}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION} INSTALL_RPATH "$ORIGIN"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  if(TILE_SANITIZE)
    target_link_libraries(${name} PRIVATE tile_sanitized_llvm)
  endif()
endfunction()

# The libraries. LINK: what the code of a library calls that is not ours. A library shows names of ours alone, and of the
# compiler's inside only where tests of it are linked with LLVM's shared libraries, as it is.
function(tile_add_shared_library name)
  cmake_parse_arguments(ARG "" "FILE" "LINK;LINK_PRIVATE" ${ARGN})
  add_library(${name} SHARED)
  foreach(component ${${name}_components})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${component}>)
  endforeach()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_LINK_PRIVATE})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
                                            "$<INSTALL_INTERFACE:include>")
  tile_finish_shared_library(${name} ${ARG_FILE})
endfunction()
