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

# The headers of MLIR that most sources need, compiled once: three to eight
# seconds for each source otherwise. No header of ours, so that no change of ours rebuilds
# it; and no source may rely on it for an include.
#
# Not by target_precompile_headers: that names the result by its absolute path,
# which hides from ccache that another clone has compiled the same.
option(SHARDIR_PRECOMPILED_HEADERS "Share one precompiled header of MLIR (Clang and Ninja)" ON)
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR NOT CMAKE_GENERATOR STREQUAL "Ninja")
  set(SHARDIR_PRECOMPILED_HEADERS OFF)
endif()
if(SHARDIR_PRECOMPILED_HEADERS)
  # Relative to the build folder, in which Ninja runs the compiler.
  set(SHARDIR_PCH pch/mlir.h.pch)
  set(_pch_headers
    llvm/Support/JSON.h
    mlir/Conversion/LLVMCommon/TypeConverter.h
    mlir/Dialect/Affine/IR/AffineOps.h
    mlir/Dialect/Arith/IR/Arith.h
    mlir/Dialect/Bufferization/IR/Bufferization.h
    mlir/Dialect/Complex/IR/Complex.h
    mlir/Dialect/ControlFlow/IR/ControlFlowOps.h
    mlir/Dialect/Func/IR/FuncOps.h
    mlir/Dialect/LLVMIR/LLVMDialect.h
    mlir/Dialect/Linalg/IR/Linalg.h
    mlir/Dialect/Math/IR/Math.h
    mlir/Dialect/MemRef/IR/MemRef.h
    mlir/Dialect/SCF/IR/SCF.h
    mlir/Dialect/Tensor/IR/Tensor.h
    mlir/Dialect/Utils/StaticValueUtils.h
    mlir/Dialect/Vector/IR/VectorOps.h
    mlir/IR/BuiltinOps.h
    mlir/IR/BuiltinTypes.h
    mlir/IR/IRMapping.h
    mlir/IR/Matchers.h
    mlir/IR/PatternMatch.h
    mlir/IR/SymbolTable.h
    mlir/Pass/Pass.h
    mlir/Pass/PassManager.h
    mlir/Transforms/DialectConversion.h
    mlir/Transforms/GreedyPatternRewriteDriver.h)
  if(SHARDIR_ENABLE_GPU)
    list(APPEND _pch_headers
      mlir/Dialect/GPU/IR/GPUDialect.h
      mlir/Dialect/LLVMIR/NVVMDialect.h
      mlir/Dialect/NVGPU/IR/NVGPUDialect.h)
  endif()
  list(JOIN _pch_headers ">\n#include <" _pch_text)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" _config)
  separate_arguments(_pch_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${_config}} ${LLVM_DEFINITIONS}")
  get_directory_property(_pch_options COMPILE_OPTIONS)
  list(APPEND _pch_flags ${_pch_options} -fno-exceptions -fPIC -std=c++17
    -isystem ${LLVM_INCLUDE_DIRS} -Xclang -fno-pch-timestamp -fpch-instantiate-templates)
  # The sum stands for the result's contents with ccache, for the contents name
  # this folder.
  string(SHA256 _pch_sum "${_pch_text} ${_pch_flags} ${LLVM_PACKAGE_VERSION} ${CMAKE_CXX_COMPILER_VERSION}")
  file(CONFIGURE OUTPUT pch/mlir.h CONTENT "// ${_pch_sum}\n#include <${_pch_text}>\n" @ONLY)
  file(CONFIGURE OUTPUT ${SHARDIR_PCH}.sum CONTENT "${_pch_sum}\n" @ONLY)
  add_custom_command(OUTPUT ${SHARDIR_PCH}
    COMMAND ${CMAKE_CXX_COMPILER} ${_pch_flags} -x c++-header pch/mlir.h -o ${SHARDIR_PCH}
    DEPENDS ${CMAKE_BINARY_DIR}/pch/mlir.h
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM
    COMMENT "Precompiling MLIR's headers")
  add_custom_target(ShardIRPrecompiled DEPENDS ${SHARDIR_PCH})
endif()

# shardir_configure_compiler_target(NAME)
# What every target that includes MLIR's headers shares.
function(shardir_configure_compiler_target name)
  add_dependencies(${name} ShardIRTableGen)
  target_compile_options(${name} PRIVATE -fno-exceptions)
  if(SHARDIR_PRECOMPILED_HEADERS)
    add_dependencies(${name} ShardIRPrecompiled)
    target_compile_options(${name} PRIVATE
      "SHELL:-include-pch ${SHARDIR_PCH} -Xclang -fno-pch-timestamp")
  endif()
endfunction()

# shardir_add_compiler_library(NAME file... [TESTING] [DEPENDS target...] [LINK target...])
# A static library of the compiler, compiled without exceptions; not installed if
# it is for testing alone.
function(shardir_add_compiler_library name)
  cmake_parse_arguments(ARG "TESTING" "" "DEPENDS;LINK" ${ARGN})
  shardir_group_sources(_sources ${name} ${ARG_UNPARSED_ARGUMENTS})
  add_library(${name} STATIC ${_sources})
  shardir_configure_compiler_target(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_TESTING)
    set_property(GLOBAL APPEND PROPERTY SHARDIR_COMPILER_LIBS ${name})
  endif()
endfunction()

# shardir_add_tool(NAME file...)
# An executable that links all libraries of the compiler and the shared MLIR.
# A compiler allocates a great many small blocks that live long: of 100,000 ops
# a tool takes an eighth less time with mimalloc's heap than with the C library's,
# which slows down as it grows. Left out where it is not installed; sanitizers
# have a heap of their own.
if(NOT SHARDIR_SANITIZER)
  find_package(mimalloc QUIET CONFIG)
endif()

function(shardir_add_tool name)
  add_executable(${name} ${ARGN})
  # -fPIC and not -fPIE, like the precompiled header.
  # Plugins that implement our interfaces find them in the tool.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF ENABLE_EXPORTS ON)
  target_compile_options(${name} PRIVATE -fPIC)
  shardir_configure_compiler_target(${name})
  target_link_libraries(${name} PRIVATE ShardIRPipelines MLIR LLVM)
  # By name, as nothing refers to it.
  if(TARGET mimalloc)
    target_link_options(${name} PRIVATE
      LINKER:--push-state,--no-as-needed $<TARGET_FILE:mimalloc> LINKER:--pop-state)
  endif()
endfunction()
