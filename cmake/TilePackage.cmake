# SPDX-License-Identifier: MIT
# What tools/dev package packs, as an archive to unpack anywhere and as a package of Debian: all that
# TileInstall.cmake installs, the pages, the licences of what is inside, and what pkg-config reads.
set(doc_dir share/doc/tile)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION ${doc_dir})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${doc_dir} RENAME copyright)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION ${doc_dir} PATTERN results EXCLUDE PATTERN CMakeLists.txt EXCLUDE)

# Debian has the licence of each of its packages in one place.
foreach(inside LLVM=libllvm22 MLIR=libmlir-22 fmt=libfmt-dev zlib=zlib1g zstd=libzstd1)
  string(REPLACE "=" ";" inside ${inside})
  list(GET inside 0 library)
  list(GET inside 1 package)
  set(licence "/usr/share/doc/${package}/copyright")
  if(NOT EXISTS "${licence}")
    message(FATAL_ERROR "a package with ${library} inside is to have its licence, which is not at ${licence}")
  endif()
  install(FILES "${licence}" DESTINATION ${doc_dir}/licences RENAME ${library})
endforeach()

# tile: the language with its compiler and kernels; tile-launch: without the compiler; tile-runtime: lowered kernels.
function(tile_pkg_config name description libraries)
  set(file "${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc")
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT [[prefix=${pcfiledir}/../..
includedir=${prefix}/include
libdir=${prefix}/lib

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Cflags: -I${includedir}
Libs: -L${libdir} @libraries@
]])
  install(FILES "${file}" DESTINATION lib/pkgconfig)
endfunction()
tile_pkg_config(tile "GPU kernels as C++ functions over tiles, compiled while the program runs"
  "-ltile_kernels -ltile -ltile_runtime -pthread")
tile_pkg_config(tile-launch "GPU kernels as C++ functions over tiles, compiled beforehand"
  "-Wl,--exclude-libs,libtile_launch.a -ltile_launch -pthread -ldl")
tile_pkg_config(tile-runtime "Launches lowered kernels of tile" "-ltile_runtime -pthread")

set(CPACK_PACKAGE_NAME tile)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "the tile authors")
set(CPACK_PACKAGE_CONTACT "the tile authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "GPU kernels as C++ functions over tiles")
set(CPACK_PACKAGE_DESCRIPTION "Kernels are ordinary C++ functions over blocks of matrices. They are traced while the program
runs, and compiled for NVIDIA GPUs or for the simulator of one. LLVM is inside.")
set(CPACK_PACKAGE_FILE_NAME "tile-${PROJECT_VERSION}-linux-x86_64")
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_THREADS 0)
set(CPACK_GENERATOR TXZ DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
