# The target shardir-docs: the reference pages in build/docs. The pages show what
# the tests named in the passes' examples print, so shard-opt comes first.
if(SHARDIR_ENABLE_COMPILER)
  set(_docs_includes)
  foreach(_folder ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    list(APPEND _docs_includes --include ${_folder})
  endforeach()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_custom_target(shardir-docs
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/build-docs.py
            --tblgen ${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen ${_docs_includes}
            --shard-opt $<TARGET_FILE:shard-opt> --out ${CMAKE_BINARY_DIR}/docs
    DEPENDS shard-opt VERBATIM
    COMMENT "Generating the reference pages")
endif()
