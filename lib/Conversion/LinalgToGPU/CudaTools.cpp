//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires nothing of CUDA; guarantees that what is not there is an empty path
// or an error in words, never an exception or a signal.
//
//===----------------------------------------------------------------------===//

#include "CudaTools.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <optional>

using namespace mlir;
using namespace shardir;

/// Folders that are laid out as a CUDA toolkit, best first.
static std::vector<std::string> toolkitRoots() {
  std::vector<std::string> roots;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char *value = std::getenv(name); value && *value)
      roots.push_back(value);
  roots.push_back("/usr/local/cuda");
  // Where utils/install-deps.sh --gpu puts PyPI's wheel.
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    roots.push_back(std::string(cache) + "/shardir/cuda");
  else if (const char *home = std::getenv("HOME"); home && *home)
    roots.push_back(std::string(home) + "/.cache/shardir/cuda");
  return roots;
}

static std::string inRoots(StringRef relative, bool executable) {
  for (const std::string &root : toolkitRoots()) {
    llvm::SmallString<128> path(root);
    llvm::sys::path::append(path, relative);
    if (executable ? llvm::sys::fs::can_execute(path)
                   : llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

std::string shardir::findPtxas(StringRef given) {
  if (given == "none")
    return "";
  if (!given.empty())
    return given.str();
  if (const char *chosen = std::getenv("SHARDIR_PTXAS"); chosen && *chosen)
    return StringRef(chosen) == "none" ? "" : chosen;
  if (std::string found = inRoots("bin/ptxas", true); !found.empty())
    return found;
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  return "";
}

std::string shardir::findLibdevice() {
  if (const char *chosen = std::getenv("SHARDIR_LIBDEVICE"); chosen && *chosen)
    return StringRef(chosen) == "none" ? "" : chosen;
  return inRoots("nvvm/libdevice/libdevice.10.bc", false);
}

/// The number before `unit` in `text`, 0 where there is none.
static int64_t numberBefore(StringRef text, StringRef unit) {
  size_t at = text.find(unit);
  if (at == StringRef::npos)
    return 0;
  StringRef head = text.take_front(at).rtrim();
  size_t start = head.find_last_not_of("0123456789");
  int64_t number = 0;
  if (head.substr(start == StringRef::npos ? 0 : start + 1)
          .getAsInteger(10, number))
    return 0;
  return number;
}

std::vector<KernelResources> shardir::readPtxasLog(StringRef log) {
  std::vector<KernelResources> kernels;
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    size_t entry = line.find("Compiling entry function '");
    if (entry != StringRef::npos) {
      KernelResources kernel;
      kernel.name = line.substr(entry).split('\'').second.split('\'').first;
      kernels.push_back(kernel);
      continue;
    }
    if (kernels.empty())
      continue;
    KernelResources &kernel = kernels.back();
    if (line.contains("bytes stack frame")) {
      kernel.stackBytes = numberBefore(line, " bytes stack frame");
      kernel.spillStoreBytes = numberBefore(line, " bytes spill stores");
      kernel.spillLoadBytes = numberBefore(line, " bytes spill loads");
    }
    if (line.contains(" registers")) {
      kernel.registers = numberBefore(line, " registers");
      kernel.staticSharedBytes = numberBefore(line, " bytes smem");
    }
  }
  return kernels;
}

Assembly shardir::assemblePtx(StringRef ptxas, StringRef ptx, StringRef arch,
                              std::string &error) {
  Assembly assembly;
  llvm::SmallString<128> input, output, log;
  llvm::scope_exit cleanUp([&] {
    for (StringRef path : {input.str(), output.str(), log.str()})
      if (!path.empty())
        llvm::sys::fs::remove(path);
  });
  for (auto [suffix, path] :
       {std::pair("ptx", &input), {"cubin", &output}, {"log", &log}})
    if (std::error_code code = llvm::sys::fs::createTemporaryFile(
            "shardir-kernels", suffix, *path)) {
      error = "cannot create a temporary file: " + code.message();
      return assembly;
    }
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(input, code);
    stream << ptx;
    stream.flush();
    if (code || stream.has_error()) {
      error = "cannot write " + input.str().str();
      stream.clear_error();
      return assembly;
    }
  }
  std::string archFlag = ("-arch=" + arch).str();
  StringRef arguments[] = {ptxas,       archFlag, "-v", "-O3",
                           "-lineinfo", input,    "-o", output};
  std::optional<StringRef> redirects[] = {StringRef(""), log.str(), log.str()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
  if (auto buffer = llvm::MemoryBuffer::getFile(log))
    assembly.log = (*buffer)->getBuffer().rtrim().str();
  assembly.kernels = readPtxasLog(assembly.log);
  if (status != 0) {
    error = message;
    if (error.empty() && assembly.log.empty())
      error = "exit status " + std::to_string(status);
    return assembly;
  }
  auto buffer = llvm::MemoryBuffer::getFile(output);
  if (!buffer) {
    error = "wrote no file: " + buffer.getError().message();
    return assembly;
  }
  assembly.cubin = (*buffer)->getBuffer().str();
  return assembly;
}
