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

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
add_link_options(-fuse-ld=lld)

if(SHARDIR_SANITIZER)
  string(REPLACE ";" "," _sanitizers "${SHARDIR_SANITIZER}")
  add_compile_options(-fsanitize=${_sanitizers} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${_sanitizers})
  if(_sanitizers MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr,function)
  endif()
endif()
