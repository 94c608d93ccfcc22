//===- Compile.cpp - Compiling in a child process, with a cache -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// The key of a compiled program is the hash of the input's bytes, of every flag
// that the compiler gets, of the compiler itself (size and time of its file)
// and of the processor, since code is made for the machine that it is made on.
// The compiler's exit status is passed on; anything unexpected is a bad
// program.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Compile.h"
#include "ArrayFiles/Files.h"
#include "Cache.h"
#include "Child.h"

#include "ShardIR/Hash/Sha256.h"
#include "ShardIR/Runner/Failure.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace shardir;
using namespace shardir::runner;
namespace fs = std::filesystem;

CompiledFile::~CompiledFile() {
  std::error_code ignored;
  if (!temporaryFolder.empty())
    fs::remove_all(temporaryFolder, ignored);
}

bool runner::isCompiledProgram(const std::string &path) {
  FileSource source(path);
  return source.size() >= 4 && source.readString(0, 4) == "\x7f"
                                                          "ELF";
}

static std::string findCompiler() {
  if (const char *chosen = std::getenv("SHARDIR_COMPILE"); chosen && *chosen)
    return chosen;
  char self[PATH_MAX];
  ssize_t length = ::readlink("/proc/self/exe", self, sizeof self - 1);
  std::string folder =
      length > 0
          ? fs::path(std::string(self, size_t(length))).parent_path().string()
          : ".";
  return folder + "/shard-compile";
}

/// A text that differs between builds of the compiler.
static std::string identityOf(const std::string &compiler) {
  struct stat info;
  if (::stat(compiler.c_str(), &info) != 0)
    throw Failure(Exit::BadProgram,
                  "cannot find the compiler '" + compiler +
                      "': " + std::strerror(errno) +
                      "; set SHARDIR_COMPILE, or run a program made with "
                      "--compile-only");
  return std::to_string(info.st_size) + ":" +
         std::to_string(info.st_mtim.tv_sec) + "." +
         std::to_string(info.st_mtim.tv_nsec);
}

/// The processor's model and features, where the system tells them.
static std::string describeProcessor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, text;
  while (std::getline(file, line) && !line.empty())
    if (line.compare(0, 10, "model name") == 0 ||
        line.compare(0, 5, "flags") == 0 || line.compare(0, 8, "Features") == 0)
      text += line + "\n";
  return text;
}

/// The program as places in diagnostics name it.
static std::string programName(const CompileRequest &request) {
  return request.input == "-" ? "<stdin>" : request.input;
}

static std::string keyOf(const CompileRequest &request,
                         const std::string &compiler) {
  std::string all;
  auto add = [&](const std::string &part) {
    all += std::to_string(part.size()) + ":" + part;
  };
  add("shard-run cache 1");
  // Diagnostics and reports name the file, so its name counts too.
  add(request.input);
  add(request.input == "-" ? request.text : readFile(request.input));
  add(request.function ? "@" + *request.function : "");
  add(request.mesh);
  add(request.options);
  // Options that name files mean what these hold.
  std::istringstream words(request.options);
  for (std::string word; words >> word;) {
    std::string value = word.substr(word.find('=') + 1);
    std::error_code error;
    if (std::filesystem::is_regular_file(value, error))
      add(readFile(value));
  }
  add(request.verify ? "verify" : "");
  add(request.gpu ? "gpu" : "");
  for (const std::string &flag : request.plugins) {
    add(flag);
    add(readFile(flag.substr(flag.find('=') + 1)));
  }
  add(compiler);
  add(identityOf(compiler));
  add(describeProcessor());
  return sha256(all);
}

/// The compiler's messages before it crashed: the crash handler's own output
/// goes, one message says what happened.
static std::string withoutStackDump(const std::string &errors) {
  size_t end = errors.size();
  for (const char *mark : {"PLEASE submit a bug report", "Stack dump",
                           "Stack dump without symbol"})
    end = std::min(end, errors.find(mark));
  return errors.substr(0, end);
}

static void runCompiler(const CompileRequest &request,
                        const std::string &compiler,
                        const std::string &output) {
  std::vector<std::string> command = {compiler, request.input, "-o", output};
  if (request.function)
    command.push_back("--function=" + *request.function);
  if (!request.mesh.empty())
    command.push_back("--mesh=" + request.mesh);
  if (!request.options.empty())
    command.push_back("--options=" + request.options);
  if (request.verify)
    command.push_back("--verify");
  if (request.gpu)
    command.push_back("--gpu");
  command.insert(command.end(), request.plugins.begin(), request.plugins.end());
  ChildResult result = runChild(command, request.text);
  std::string said =
      result.signal ? withoutStackDump(result.errors) : result.errors;
  if (request.isTrial && !said.empty() && result.exitStatus != 0)
    throw Failure(Exit::BadProgram, said);
  std::fwrite(said.data(), 1, said.size(), stderr);
  if (result.signal)
    throw Failure(Exit::BadProgram, "the compiler crashed on '" +
                                        programName(request) +
                                        "': " + describeSignal(result.signal));
  if (result.exitStatus == 0)
    return;
  Exit status = result.exitStatus == 2 ? Exit::Usage : Exit::BadProgram;
  // The compiler has said why; a second message would only repeat it.
  if (said.empty())
    throw Failure(status, "the compiler failed on '" + programName(request) +
                              "' with exit status " +
                              std::to_string(result.exitStatus));
  throw Failure(status, "");
}

CompiledFile runner::compileProgram(const CompileRequest &request, bool again) {
  std::string compiler = findCompiler();
  std::string key = keyOf(request, compiler);
  ProgramCache cache;
  if (!again && !request.isTrial && cache.find(key))
    return CompiledFile(cache.pathOf(key));

  std::string folder, output = request.isTrial ? "" : cache.temporaryFile();
  if (output.empty()) {
    folder = makeTemporaryFolder();
    output = folder + "/program.so";
  }
  CompiledFile compiled(output, folder);
  try {
    runCompiler(request, compiler, output);
    if (!isCompiledProgram(output))
      throw Failure(Exit::BadProgram, "the compiler '" + compiler +
                                          "' wrote no program for '" +
                                          programName(request) + "'");
    if (folder.empty() && !cache.insert(output, key))
      failUsage("cannot write to the cache '" + cache.getFolder() +
                "': " + std::strerror(errno));
  } catch (...) {
    ::unlink(output.c_str());
    throw;
  }
  if (folder.empty())
    return CompiledFile(cache.pathOf(key));
  return compiled;
}

std::string runner::kernelTimesFile() {
  std::string folder = ProgramCache().getFolder();
  // Options are apart by blanks.
  return folder.find_first_of(" \t") != std::string::npos || folder.empty()
             ? ""
             : folder + "/kernel-times-" +
                   sha256(describeProcessor()).substr(0, 16) + ".json";
}

void runner::copyProgram(const CompiledFile &program, const std::string &path) {
  std::string contents = readFile(program.getPath());
  struct stat info;
  bool special = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  std::string target =
      special ? path : path + ".tmp" + std::to_string(::getpid());
  writeFile(target, contents);
  if (special)
    return;
  ::chmod(target.c_str(), 0755);
  if (::rename(target.c_str(), path.c_str()) != 0) {
    int error = errno;
    ::unlink(target.c_str());
    failUsage("cannot write '" + path + "': " + std::strerror(error));
  }
}
