# SPDX-License-Identifier: MIT
# What `cmake --install` puts below its prefix, and how find_package(tile) finds it there:
#
#   tile::runtime   buffers, launching lowered kernels; needs no LLVM     find_package(tile COMPONENTS runtime)
#   tile::cuda      GPUs without the compiler, beside tile::runtime       find_package(tile COMPONENTS runtime)
#   tile::jit       the language, the compiler, the interpreter, kernels  find_package(tile COMPONENTS jit)
#
# Both include <tile/...>. MLIR is linked into tile::jit but no header of it is seen.
include(CMakePackageConfigHelpers)
include(TileBuildBeforeInstall)

add_library(tile_jit INTERFACE)
target_link_libraries(tile_jit INTERFACE tile_dsl tile_devices tile_kernels)
# The headers are C++20; kernels as the documents write them, x[all, none], are C++23.
target_compile_features(tile_jit INTERFACE cxx_std_23)
set(tile_jit_libraries tile_jit tile_mlir tile_analysis tile_axis_facts tile_codegen tile_devices tile_dialect
  tile_distribute tile_dsl tile_float_ring tile_gpu_dialect tile_host tile_interpreter tile_kernels tile_layout tile_layout_choice
  tile_pipeline tile_ptx tile_simulator tile_simulator_code tile_target tile_to_llvm tile_to_ptx tile_to_simulator tile_transforms)

set_target_properties(tile_cuda PROPERTIES EXPORT_NAME cuda)
add_library(tile::cuda ALIAS tile_cuda)

# Behind `tools/dev run` there are not yet all of these.
tile_build_before_install(tile_runtime tile_cuda ${tile_jit_libraries} tile tile-opt)

# tile_runtime is tile::runtime for those who find the package, as for those who add it as a folder.
set(tile_config_dir lib/cmake/tile)
foreach(component runtime jit)
  set_target_properties(tile_${component} PROPERTIES EXPORT_NAME ${component})
  add_library(tile::${component} ALIAS tile_${component})
  set(libraries tile_runtime tile_cuda)
  if(component STREQUAL "jit")
    set(libraries ${tile_jit_libraries})
  endif()
  install(TARGETS ${libraries} EXPORT tile_${component}_targets ARCHIVE DESTINATION lib)
  install(EXPORT tile_${component}_targets NAMESPACE tile:: DESTINATION ${tile_config_dir})
endforeach()
# LLVM's libraries lie where the system's linker does not look.
if(NOT TILE_STATIC_LLVM)
  set_target_properties(tile tile-opt PROPERTIES INSTALL_RPATH "${LLVM_LIBRARY_DIR}")
endif()
install(TARGETS tile tile-opt RUNTIME DESTINATION bin)
get_property(tile_public_headers GLOBAL PROPERTY TILE_PUBLIC_HEADERS)
install(FILES ${tile_public_headers} DESTINATION include/tile)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tileConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/tileConfig.cmake" INSTALL_DESTINATION ${tile_config_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tileConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tileConfig.cmake" "${PROJECT_BINARY_DIR}/tileConfigVersion.cmake"
  DESTINATION ${tile_config_dir})
