//===- Errors.h - The package's exceptions ----------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From statuses of the C API to the exceptions that `_errors.py` defines.
// Requires the interpreter's lock.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PYTHON_ERRORS_H
#define SHARDIR_PYTHON_ERRORS_H

#include "ShardIR/Runtime/ShardIR.h"

#include <nanobind/nanobind.h>

#include <string>

namespace shardir {
namespace python {

/// Raises the package's exception of that name.
[[noreturn]] inline void raise(const char *name, const std::string &message) {
  nanobind::object type =
      nanobind::module_::import_("shardir._errors").attr(name);
  PyErr_SetString(type.ptr(), message.c_str());
  throw nanobind::python_error();
}

inline void check(shardir_status status) {
  if (status == SHARDIR_OK)
    return;
  raise(status == SHARDIR_RANK_FAILED   ? "RankError"
        : status == SHARDIR_BAD_PROGRAM ? "CompileError"
                                        : "UsageError",
        shardir_last_error());
}

} // namespace python
} // namespace shardir

#endif // SHARDIR_PYTHON_ERRORS_H
