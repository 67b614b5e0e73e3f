# SPDX-License-Identifier: MIT
# Programs that run on any x86-64 Linux with glibc 2.36: every library inside, but for libc's own.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-static-libstdc++ -static-libgcc LINKER:--gc-sections LINKER:--as-needed)

# LLVM's package asks for shared libraries where Debian has archives too.
foreach(library zstd::libzstd_shared=libzstd.a ZLIB::ZLIB=libz.a)
  string(REPLACE "=" ";" library ${library})
  list(GET library 0 target)
  list(GET library 1 archive)
  if(TARGET ${target})
    find_library(TILE_${archive} NAMES ${archive} REQUIRED)
    foreach(property IMPORTED_LOCATION IMPORTED_LOCATION_NONE IMPORTED_LOCATION_RELEASE)
      set_target_properties(${target} PROPERTIES ${property} "${TILE_${archive}}")
    endforeach()
  endif()
endforeach()

set(TILE_FMT fmt::fmt-header-only) # Debian has no archive of fmt, but its headers can be the whole library
