# SPDX-License-Identifier: MIT
# `cmake --install` copies, and fails where there is nothing to copy: unlike `ninja install` it builds nothing. So
# that it works in whatever state the build is, it first builds what is missing.
#
#   tile_build_before_install(target ...)    those that are installed, before their own install(TARGETS)

function(tile_build_before_install)
  # Another project that has this one as a folder builds and installs by its own rules.
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  set(files "")
  add_custom_target(what_is_installed)
  foreach(target ${ARGN})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND files "$<TARGET_FILE:${target}>")
      add_dependencies(what_is_installed ${target})
    endif()
  endforeach()
  # A file that includes MLIR takes up to 2 GB to compile. Where nothing is missing, nothing is built: so a build
  # that installs does not call another build.
  install(CODE "
    foreach(file ${files})
      if(NOT EXISTS \"\${file}\")
        cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
        cmake_host_system_information(RESULT memory QUERY AVAILABLE_PHYSICAL_MEMORY)
        math(EXPR most \"\${memory} / 2000\")
        if(most LESS 1)
          set(most 1)
        endif()
        if(most LESS jobs)
          set(jobs \${most})
        endif()
        message(STATUS \"Building first what is not built yet, such as \${file}\")
        execute_process(
          COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target what_is_installed --parallel \${jobs}
          RESULT_VARIABLE failed)
        if(failed)
          message(FATAL_ERROR \"nothing is installed: the build failed, see above\")
        endif()
        break()
      endif()
    endforeach()")
endfunction()
