# Compiler flags, linker, sanitizers and ccache: what every target shares.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# The precompiled header needs these settings of ccache; see ShardIRMLIR.cmake for
# the checksum.
find_program(SHARDIR_CCACHE ccache)
if(SHARDIR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${SHARDIR_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_PCH_EXTSUM=true
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${SHARDIR_CCACHE})
endif()

# shardir_group_sources(OUT TARGET file...)
# The sources to compile for the files of a target: up to sixteen of one folder as
# one source that includes them, so that headers are read once for all of them; of
# the target's small folders together, where SHARDIR_UNITY_ACROSS_FOLDERS is set. Files
# with flags of their own, or with SKIP_UNITY_BUILD_INCLUSION, stay alone, and so
# do objects of other targets.
#
# Not CMake's UNITY_BUILD: that names files by absolute paths, which hides from
# ccache that another clone has compiled the same.
option(SHARDIR_UNITY_BUILD "Compile files of a folder together" ON)
function(shardir_group_sources out target)
  if(NOT SHARDIR_UNITY_BUILD)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(_result)
  set(_folders)
  foreach(_file ${ARGN})
    if(_file MATCHES "^\\$<")
      list(APPEND _result ${_file})
      continue()
    endif()
    get_source_file_property(_options ${_file} COMPILE_OPTIONS)
    get_source_file_property(_skip ${_file} SKIP_UNITY_BUILD_INCLUSION)
    if(_options OR _skip)
      list(APPEND _result ${_file})
      continue()
    endif()
    get_filename_component(_path ${_file} ABSOLUTE)
    get_filename_component(_folder ${_path} DIRECTORY)
    if(SHARDIR_UNITY_ACROSS_FOLDERS)
      set(_folder ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
    list(APPEND _folders ${_folder})
    string(MAKE_C_IDENTIFIER "files ${_folder}" _list)
    list(APPEND ${_list} ${_path})
  endforeach()
  list(REMOVE_DUPLICATES _folders)
  foreach(_folder ${_folders})
    string(MAKE_C_IDENTIFIER "files ${_folder}" _list)
    file(RELATIVE_PATH _name ${PROJECT_SOURCE_DIR} ${_folder})
    string(REPLACE "/" "." _name ${_name})
    set(_number 0)
    while(${_list})
      math(EXPR _number "${_number} + 1")
      list(SUBLIST ${_list} 0 16 _group)
      list(REMOVE_ITEM ${_list} ${_group})
      set(_text "// Made by CMake (SHARDIR_UNITY_BUILD).\n")
      foreach(_path ${_group})
        file(RELATIVE_PATH _path ${CMAKE_CURRENT_BINARY_DIR} ${_path})
        string(APPEND _text "#include \"${_path}\"\n")
      endforeach()
      set(_source ${target}.${_name}.${_number}.cpp)
      file(CONFIGURE OUTPUT ${_source} CONTENT "${_text}" @ONLY)
      list(APPEND _result ${CMAKE_CURRENT_BINARY_DIR}/${_source})
    endwhile()
  endforeach()
  set(${out} ${_result} PARENT_SCOPE)
endfunction()

# The stable_sort of libstdc++ 12 calls a function that C++17 has deprecated.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-deprecated-declarations)
add_link_options(-fuse-ld=lld)

if(SHARDIR_SANITIZER)
  string(REPLACE ";" "," _sanitizers "${SHARDIR_SANITIZER}")
  add_compile_options(-fsanitize=${_sanitizers} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${_sanitizers})
  if(_sanitizers MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr,function)
  endif()
endif()
