# Finds LLVM and MLIR 22 and sets up TableGen. Everything links the shared
# libMLIR and libLLVM: a second, static copy in one process would register
# every dialect twice.

if(NOT MLIR_DIR)
  find_program(SHARDIR_LLVM_CONFIG NAMES llvm-config-22 llvm-config REQUIRED)
  execute_process(COMMAND ${SHARDIR_LLVM_CONFIG} --prefix
    OUTPUT_VARIABLE _llvm_prefix OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND CMAKE_PREFIX_PATH ${_llvm_prefix})
endif()
# LLVM's version files accept an equal minor version only, so the major one is
# checked here.
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "ShardIR needs MLIR 22, found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}: "
                      "set MLIR_DIR to the lib/cmake/mlir of an MLIR 22")
endif()
message(STATUS "Using MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(MLIR_LINK_MLIR_DYLIB ON)
set(LLVM_LINK_LLVM_DYLIB ON)
set(LLVM_ENABLE_RTTI ON)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS})
set(SHARDIR_LLVM_BINDIR ${LLVM_TOOLS_BINARY_DIR})
set(SHARDIR_LLVM_LIBDIR ${LLVM_LIBRARY_DIR})

# shardir_add_compiler_library(NAME file... [DEPENDS target...] [LINK target...])
# A static library of the compiler, compiled without exceptions.
function(shardir_add_compiler_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} ShardIRTableGen ${ARG_DEPENDS})
  target_compile_options(${name} PRIVATE -fno-exceptions)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY SHARDIR_COMPILER_LIBS ${name})
endfunction()

# shardir_add_tool(NAME file...)
# An executable that links all libraries of the compiler and the shared MLIR.
function(shardir_add_tool name)
  add_executable(${name} ${ARGN})
  add_dependencies(${name} ShardIRTableGen)
  target_compile_options(${name} PRIVATE -fno-exceptions)
  target_link_libraries(${name} PRIVATE ShardIRPipelines MLIR LLVM)
  set_target_properties(${name} PROPERTIES
    BUILD_RPATH ${SHARDIR_LLVM_LIBDIR} INSTALL_RPATH ${SHARDIR_LLVM_LIBDIR})
endfunction()
