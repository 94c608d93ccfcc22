//===- Supervise.cpp - Surviving what a program does ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// One fork. The child tells its phase through a shared page, so that a crash
// while loading is a bad program and one while running is a failed rank. The
// child ends with the parent; terminal signals reach both.
// Guarantees a normal exit of the parent for any end of the child.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Supervise.h"
#include "Child.h"

#include "ShardIR/Runner/Failure.h"
#include "ShardIR/Runtime/Processes.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardir;
using namespace shardir::runner;

/// Ends the child. Ranks that hang are still running then, so after a failure
/// nothing that they may use is destroyed.
[[noreturn]] static void leave(int status) {
  bool lost = std::fflush(stdout) != 0 || std::ferror(stdout);
  std::fflush(stderr);
  if (lost && status == 0) {
    std::fputs("shard-run: error: cannot write to standard output\n", stderr);
    status = int(Exit::Usage);
  }
  if (status == 0)
    std::exit(0);
  ::_exit(status);
}

/// Which process of several it was: the others cannot tell any more.
static std::string whose() {
  int64_t number = shardir_processes_launched_as();
  return number < 0 ? "" : "process " + std::to_string(number) + ": ";
}

namespace {
/// The message from the work to its supervisor.
struct Progress {
  Phase phase;
  bool othersTell; ///< other processes see it and say so
};
} // namespace

/// One error is enough.
static const char *severity(const volatile Progress &progress) {
  return progress.othersTell ? "note" : "error";
}

static int reportCrash(const volatile Progress &progress, int signal) {
  Phase phase = progress.phase;
  std::string what = describeSignal(signal);
  if (signal == SIGKILL)
    what += "; was there too little memory?";
  Exit status = Exit::Usage;
  const char *where = "shard-run crashed before the program ran";
  if (phase == Phase::Loading) {
    status = Exit::BadProgram;
    where = "the program crashed while it was loaded";
  } else if (phase == Phase::Running) {
    status = Exit::RankFailed;
    where = "the program crashed";
  }
  std::fprintf(stderr, "shard-run: %s: %s%s: %s\n", severity(progress),
               whose().c_str(), where, what.c_str());
  return int(status);
}

int runner::supervise(
    const std::function<int(const std::function<void(Phase)> &)> &work) {
  // A closed pipe is an error of writing, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  const char *inProcess = std::getenv("SHARDIR_RUN_IN_PROCESS");
  if (inProcess && *inProcess && *inProcess != '0')
    leave(work([](Phase) {}));

  void *page = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t parent = ::getpid();
  pid_t child = page == MAP_FAILED ? -1 : ::fork();
  if (child < 0) {
    std::perror("shard-run: error: cannot start a process");
    return int(Exit::RankFailed);
  }
  auto *progress = static_cast<volatile Progress *>(page);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
      ::_exit(int(Exit::RankFailed));
    // A crash is reported by the parent; a core file of all ranks' data is not
    // wanted with it.
    rlimit none = {0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    int status = work([progress](Phase now) {
      progress->phase = now;
      progress->othersTell = shardir_processes_see_deaths() != 0;
    });
    progress->phase = Phase::Left;
    leave(status);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED(status))
    return reportCrash(*progress, WTERMSIG(status));
  if (progress->phase == Phase::Left)
    return WEXITSTATUS(status);
  std::fprintf(stderr,
               "shard-run: %s: %sthe program ended the process with status "
               "%d\n",
               severity(*progress), whose().c_str(), WEXITSTATUS(status));
  return int(progress->phase == Phase::Loading ? Exit::BadProgram
                                               : Exit::RankFailed);
}
