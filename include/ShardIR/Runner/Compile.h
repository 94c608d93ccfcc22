//===- Compile.h - Compiling in a child process, with a cache ---*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Turns an .mlir file into a compiled program by running the compiler as a
// child process: shard-run links no LLVM, and a crash of the compiler is one
// message. Compiled programs are kept by the hash of everything they were made
// from; the cache is safe for runs at the same time, since entries only ever
// appear whole, by renaming.
//
// Environment: SHARDIR_COMPILE (the compiler), SHARDIR_CACHE_DIR, and the usual
// XDG_CACHE_HOME, HOME and TMPDIR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_COMPILE_H
#define SHARDIR_RUNNER_COMPILE_H

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardir::runner {

struct CompileRequest {
  std::string input;
  std::optional<std::string> function;
  std::string mesh, options;
  bool verify = false;
  /// For a GPU, of the architecture that `options` name.
  bool gpu = false;
  /// The program, if `input` is `-`.
  std::string text;
  /// `--load-dialect-plugin=FILE` and `--load-pass-plugin=FILE`, for the
  /// compiler.
  std::vector<std::string> plugins;
  /// The program is only tried: it is in no cache, and the compiler's messages
  /// are those of the Failure.
  bool isTrial = false;
};

/// A compiled program in a file; removed with this object if it is temporary.
class CompiledFile {
public:
  explicit CompiledFile(std::string path, std::string temporaryFolder = "")
      : path(std::move(path)), temporaryFolder(std::move(temporaryFolder)) {}
  CompiledFile(CompiledFile &&other) noexcept
      : path(std::move(other.path)),
        temporaryFolder(std::exchange(other.temporaryFolder, "")) {}
  CompiledFile &operator=(CompiledFile &&) = delete;
  ~CompiledFile();
  const std::string &getPath() const { return path; }

private:
  std::string path, temporaryFolder;
};

/// Whether a file starts like a shared object. Fails if it cannot be read.
bool isCompiledProgram(const std::string &path);

/// Compiles, or finds in the cache what an equal request made. `again` ignores
/// what is in the cache and replaces it. The compiler's diagnostics go to
/// standard error.
CompiledFile compileProgram(const CompileRequest &request, bool again = false);

/// The file beside the cached programs that has times of this processor, for
/// the option `kernel-times`; empty where there is no cache.
std::string kernelTimesFile();

/// Copies a compiled program to `path`, which appears whole.
void copyProgram(const CompiledFile &program, const std::string &path);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_COMPILE_H
