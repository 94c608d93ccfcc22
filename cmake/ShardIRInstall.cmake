# What `cmake --install` writes: tools, plugin, libraries, headers, and a package
# that other projects find by find_package(ShardIR).
#
# Included last, when every target is known.

include(CMakePackageConfigHelpers)

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ShardIR)
set(_destinations
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Everything of this project that a target links, itself included; a static
# library's private libraries count, for its users must link them too.
function(_shardir_collect target out_targets out_packages)
  set(_targets ${${out_targets}})
  set(_packages ${${out_packages}})
  if(target MATCHES "^\\$<LINK_ONLY:(.*)>$")
    set(target ${CMAKE_MATCH_1})
  endif()
  if(target MATCHES "^(ZLIB|nlohmann_json|Threads|GTest)::")
    list(APPEND _packages ${CMAKE_MATCH_1})
    list(REMOVE_DUPLICATES _packages)
  elseif(TARGET ${target} AND NOT ${target} IN_LIST _targets)
    get_target_property(_imported ${target} IMPORTED)
    if(NOT _imported)
      list(APPEND _targets ${target})
      get_target_property(_type ${target} TYPE)
      foreach(_property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
        get_target_property(_links ${target} ${_property})
        if(_links AND NOT (_property STREQUAL "LINK_LIBRARIES" AND NOT _type STREQUAL "STATIC_LIBRARY"))
          foreach(_link ${_links})
            _shardir_collect("${_link}" _targets _packages)
          endforeach()
        endif()
      endforeach()
    endif()
  endif()
  set(${out_targets} ${_targets} PARENT_SCOPE)
  set(${out_packages} ${_packages} PARENT_SCOPE)
endfunction()

set(_runtime_targets)
set(_runtime_packages)
_shardir_collect(ShardIRRuntime _runtime_targets _runtime_packages)
foreach(_target ${_runtime_targets})
  target_include_directories(${_target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
if(_runtime_targets)
  install(TARGETS ${_runtime_targets} EXPORT ShardIRRuntimeTargets ${_destinations})
  install(EXPORT ShardIRRuntimeTargets NAMESPACE ShardIR:: DESTINATION ${_package_dir})
endif()

set(SHARDIR_EXPORT_COMPILER_LIBS)
set(SHARDIR_EXPORT_PACKAGES)
if(SHARDIR_ENABLE_COMPILER)
  get_property(_compiler_libs GLOBAL PROPERTY SHARDIR_COMPILER_LIBS)
  set(_compiler_targets)
  foreach(_library ${_compiler_libs})
    _shardir_collect(${_library} _compiler_targets SHARDIR_EXPORT_PACKAGES)
  endforeach()
  # In two export sets a target would be two targets for whoever imports both.
  if(_compiler_targets AND _runtime_targets)
    list(REMOVE_ITEM _compiler_targets ${_runtime_targets})
  endif()
  set(SHARDIR_EXPORT_COMPILER_LIBS ${_compiler_libs})

  add_library(ShardIRCompiler INTERFACE)
  target_link_libraries(ShardIRCompiler INTERFACE ${_compiler_libs} MLIR LLVM)
  foreach(_target ${_compiler_targets} ShardIRCompiler)
    target_include_directories(${_target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  install(TARGETS ${_compiler_targets} ShardIRCompiler EXPORT ShardIRCompilerTargets ${_destinations})
  install(EXPORT ShardIRCompilerTargets NAMESPACE ShardIR:: DESTINATION ${_package_dir})
endif()

# For programs that do not use CMake: pkg-config --cflags --libs shardir-runtime
file(RELATIVE_PATH _pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/shardir-runtime.pc.in ${CMAKE_CURRENT_BINARY_DIR}/shardir-runtime.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/shardir-runtime.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

foreach(_tool shard-opt shard-run shard-compile shard-validate shard-reduce shard-lsp-server)
  if(TARGET ${_tool})
    install(TARGETS ${_tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
if(TARGET ShardIRPlugin)
  install(TARGETS ShardIRPlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

# Headers, TableGen files for those who extend the dialects, and what TableGen made.
install(DIRECTORY include/ShardIR include/ShardIR-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/include/ShardIR DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ShardIR)
install(DIRECTORY examples/embedding DESTINATION ${CMAKE_INSTALL_DATADIR}/ShardIR/examples)

configure_package_config_file(cmake/ShardIRConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/ShardIRConfig.cmake
  INSTALL_DESTINATION ${_package_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ShardIRConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ShardIRConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/ShardIRConfigVersion.cmake
  DESTINATION ${_package_dir})
