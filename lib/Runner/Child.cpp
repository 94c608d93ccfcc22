//===- Child.cpp - Running a child process --------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// fork and exec with a pipe for standard error and another, closed on exec, by
// which a failed exec differs from a program that fails. Between fork and exec
// only async-signal-safe functions are called. Standard output of the child
// goes to standard error: the parent's own output may be a pipe that is parsed.
//
//===----------------------------------------------------------------------===//

#include "Child.h"

#include "ShardIR/Runner/Failure.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardir;
using namespace shardir::runner;

[[noreturn]] static void failStart(const std::string &program, int error) {
  throw Failure(Exit::BadProgram, "cannot start the compiler '" + program +
                                      "': " + std::strerror(error));
}

/// A file without a name that holds `text`: unlike a pipe, it is never full.
static std::FILE *fileOf(const std::string &text) {
  std::FILE *file = std::tmpfile();
  if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fflush(file) != 0 || std::fseek(file, 0, SEEK_SET) != 0) {
    int error = errno;
    if (file)
      std::fclose(file);
    failUsage(std::string("cannot keep the compiler's standard input: ") +
              std::strerror(error));
  }
  return file;
}

ChildResult runner::runChild(const std::vector<std::string> &command,
                             const std::string &input) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> inputFile(
      input.empty() ? nullptr : fileOf(input), std::fclose);
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  int errors[2], started[2];
  if (::pipe2(errors, O_CLOEXEC) != 0)
    failStart(command[0], errno);
  if (::pipe2(started, O_CLOEXEC) != 0) {
    int error = errno;
    ::close(errors[0]);
    ::close(errors[1]);
    failStart(command[0], error);
  }
  pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
      ::_exit(127);
    ::dup2(inputFile ? ::fileno(inputFile.get())
                     : ::open("/dev/null", O_RDONLY),
           0);
    ::dup2(errors[1], 1);
    ::dup2(errors[1], 2);
    ::signal(SIGPIPE, SIG_DFL);
    ::execv(arguments[0], arguments.data());
    int error = errno;
    [[maybe_unused]] ssize_t told = ::write(started[1], &error, sizeof error);
    ::_exit(127);
  }
  int forkError = errno;
  ::close(errors[1]);
  ::close(started[1]);
  ChildResult result;
  int startError = 0;
  if (child > 0) {
    if (::read(started[0], &startError, sizeof startError) !=
        ssize_t(sizeof startError))
      startError = 0;
    char buffer[4096];
    for (;;) {
      ssize_t got = ::read(errors[0], buffer, sizeof buffer);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        break;
      if (result.errors.size() < (16u << 20))
        result.errors.append(buffer, size_t(got));
    }
  }
  ::close(errors[0]);
  ::close(started[0]);
  if (child < 0)
    failStart(command[0], forkError);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (startError)
    failStart(command[0], startError);
  if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  else
    result.exitStatus = WEXITSTATUS(status);
  return result;
}

std::string runner::describeSignal(int signal) {
  const char *name = ::strsignal(signal);
  return "signal " + std::to_string(signal) +
         (name ? " (" + std::string(name) + ")" : "");
}
