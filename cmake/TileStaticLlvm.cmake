# SPDX-License-Identifier: MIT
# LLVM and MLIR inside libtile_compiler.so, so that the libraries and the tools run on any x86-64 Linux with glibc 2.36 and
# g++'s library. tile_llvm_archives is what the compiler links of them.
add_link_options(LINKER:--gc-sections LINKER:--as-needed)

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

# MLIR's archives ask for LLVM's shared library: Debian built MLIR with it. Of the archives instead, the linker
# takes only what is referred to, so that the list may be generous.
set(tile_llvm_archive_names LLVMSupport LLVMTargetParser LLVMRemarks LLVMBitstreamReader LLVMCore LLVMAsmParser
    LLVMBitReader LLVMBitWriter LLVMIRReader LLVMAnalysis LLVMLinker LLVMTransformUtils LLVMPasses LLVMFrontendOpenMP)
foreach(library ${MLIR_EXPORTED_TARGETS})
  get_target_property(wanted ${library} INTERFACE_LINK_LIBRARIES)
  if("LLVM" IN_LIST wanted)
    list(REMOVE_ITEM wanted LLVM)
    set_target_properties(${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${wanted};${tile_llvm_archive_names}")
  endif()
endforeach()

set(TILE_FMT fmt::fmt-header-only) # Debian has no archive of fmt, but its headers can be the whole library
