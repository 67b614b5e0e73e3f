# SPDX-License-Identifier: MIT
# What `cmake --install` puts below its prefix, and how find_package(tile) finds it there:
#
#   tile::runtime   buffers, launching lowered kernels; needs no LLVM     find_package(tile COMPONENTS runtime)
#   tile::cuda      GPUs without the compiler, beside tile::runtime       find_package(tile COMPONENTS runtime)
#   tile::launch    the language and kernels on GPUs, no compiler; static find_package(tile COMPONENTS launch)
#   tile::jit       the language, the compiler, the interpreter, kernels  find_package(tile COMPONENTS jit)
#   tile::functions the kernels for C, beside tile::jit                    find_package(tile COMPONENTS jit)
#   tile::command   the command `tile`, for tile_embed_pack()
#
# All include <tile/...>; no header of MLIR is seen. tile::runtime is a library of its own and tile::jit another one, which
# loads the compiler from beside itself.
include(CMakePackageConfigHelpers)
include(TileBuildBeforeInstall)

add_library(tile_jit INTERFACE)
# The headers are C++20; kernels as the documents write them, x[all, none], are C++23.
target_compile_features(tile_jit INTERFACE cxx_std_23)
set_target_properties(tile_jit PROPERTIES EXPORT_NAME jit)
add_library(tile::jit ALIAS tile_jit)

# What users link by the name of a component, tile::NAME, is the component or stands for its library.
function(tile_user_target name component)
  tile_library_of(${component} library)
  if(library)
    add_library(tile_user_${name} INTERFACE)
    target_link_libraries(tile_user_${name} INTERFACE ${library})
    set(component tile_user_${name})
  endif()
  set_target_properties(${component} PROPERTIES EXPORT_NAME ${name})
  add_library(tile::${name} ALIAS ${component})
endfunction()
tile_user_target(runtime tile_runtime)
tile_user_target(cuda tile_cuda)
tile_user_target(tile_dsl tile_dsl)
tile_user_target(tile_devices tile_devices)
set_target_properties(tile_launch PROPERTIES EXPORT_NAME launch)
add_library(tile::launch ALIAS tile_launch)
set_target_properties(tile_functions PROPERTIES EXPORT_NAME functions)
add_library(tile::functions ALIAS tile_functions)
set_target_properties(tile PROPERTIES EXPORT_NAME command)
add_executable(tile::command ALIAS tile)
target_link_libraries(tile_jit INTERFACE tile::tile_dsl tile::tile_devices tile_kernels)

set(tile_runtime_targets tile_runtime_library tile_user_runtime tile_user_cuda)
set(tile_jit_targets tile_functions tile_jit tile_kernels tile_library tile_user_tile_dsl tile_user_tile_devices)
# Nobody links the compiler; LLVM's shared libraries lie where the system's linker does not look.
set(tile_loaded_targets tile_compiler_library)
if(NOT TILE_STATIC_LLVM)
  set_target_properties(tile_compiler_library PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
endif()
set_target_properties(tile tile-opt PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS ${tile_loaded_targets} LIBRARY DESTINATION lib NAMELINK_SKIP)

set(tile_launch_targets tile_launch)
set(tile_command_targets tile)

# Behind `tools/dev run` there are not yet all of these.
tile_build_before_install(${tile_runtime_targets} ${tile_jit_targets} ${tile_loaded_targets} tile_launch tile tile-opt)

foreach(component runtime launch jit command)
  install(TARGETS ${tile_${component}_targets} EXPORT tile_${component}_targets
    ARCHIVE DESTINATION lib LIBRARY DESTINATION lib RUNTIME DESTINATION bin)
  install(EXPORT tile_${component}_targets NAMESPACE tile:: DESTINATION ${tile_config_dir})
endforeach()
install(TARGETS tile-opt RUNTIME DESTINATION bin)
get_property(tile_public_headers GLOBAL PROPERTY TILE_PUBLIC_HEADERS)
install(FILES ${tile_public_headers} DESTINATION include/tile)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tileConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/tileConfig.cmake" INSTALL_DESTINATION ${tile_config_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tileConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tileConfig.cmake" "${PROJECT_BINARY_DIR}/tileConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/TileEmbedPack.cmake"
  DESTINATION ${tile_config_dir})
