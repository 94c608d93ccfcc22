//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a list of compiled programs in one process, as shard-run would run each:
//
//   run-checks LIST RESULTS [--filter=TEXT] [--show] [flags of shard-run]
//
// Requires lines of LIST with tabs between a title, the number of ranks, a
// program and its flags. Guarantees a line in RESULTS as each check ends;
// checks that have one are not run again, so that a process that was ended goes
// on where it stopped, and the check that ended it has failed. Exit status 0 if
// all checks passed, 1 if one failed, 2 for wrong usage; 5 where checks are
// left, which need a new process since an error may have made the device
// unusable.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Session.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace shardir::runner;

namespace {

constexpr int kPassed = 0, kFailed = 1, kUsage = 2, kLeft = 5;
/// A check that takes longer ends the process, in seconds.
constexpr unsigned kLongest = 300;
/// Characters of a check's output that are kept.
constexpr size_t kKept = 8000;

struct Check {
  std::string title, ranks, program;
  std::vector<std::string> flags;
  /// As in results, behind the verdict.
  std::string name() const { return title + " (" + ranks + " ranks)"; }
};

std::vector<std::string> split(const std::string &line, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, mark);)
    parts.push_back(part);
  return parts;
}

std::vector<Check> readList(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    failUsage("cannot read '" + path + "'");
  std::vector<Check> checks;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> parts = split(line, '\t');
    if (parts.size() < 3)
      failUsage("'" + path + "' has a line that is no check: " + line);
    checks.push_back(
        {parts[0], parts[1], parts[2], {parts.begin() + 3, parts.end()}});
  }
  return checks;
}

/// Puts what the process prints into a file meanwhile.
class Capture {
public:
  Capture() : file(std::tmpfile()) {
    std::fflush(nullptr);
    for (int stream : {1, 2}) {
      kept[stream - 1] = ::dup(stream);
      ::dup2(::fileno(file), stream);
    }
  }
  Capture(const Capture &) = delete;
  ~Capture() { std::fclose(file); }
  /// Ends it; the text on one line.
  std::string end() {
    std::fflush(nullptr);
    for (int stream : {1, 2}) {
      ::dup2(kept[stream - 1], stream);
      ::close(kept[stream - 1]);
    }
    std::rewind(file);
    std::string text(kKept, '\0');
    text.resize(std::fread(text.data(), 1, kKept, file));
    for (char &c : text)
      if (c == '\n' || c == '\t')
        c = ' ';
    return text;
  }

private:
  std::FILE *file;
  int kept[2];
};

/// The status of one check, as shard-run's, and what it printed.
std::pair<Exit, std::string> run(const Check &check,
                                 const std::vector<std::string> &flags) {
  std::vector<std::string> arguments = {"programs/" + check.program};
  arguments.insert(arguments.end(), check.flags.begin(), check.flags.end());
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  Exit status = Exit::Usage;
  Capture output;
  ::alarm(kLongest);
  try {
    Options options = parseOptions(arguments);
    status = runSession(options, [](Phase) {});
  } catch (const Failure &failure) {
    status = failure.getStatus();
    std::fprintf(stderr, "error: %s\n", failure.what());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  ::alarm(0);
  return {status, output.end()};
}

class Results {
public:
  explicit Results(const std::string &path) : path(path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      size_t space = line.find(' '), end = line.find(" ranks)");
      std::string verdict = line.substr(0, space);
      if (end == std::string::npos || (verdict != "pass" && verdict != "FAIL"))
        continue;
      done.insert(line.substr(space + 1, end + 6 - space));
      (verdict == "pass" ? passed : failed) += 1;
    }
    std::string name;
    if (std::ifstream running(path + ".now"); std::getline(running, name))
      add(false, name, "it ended the process");
  }

  bool has(const Check &check) const { return done.count(check.name()); }

  void begin(const Check &check) const {
    std::ofstream(path + ".now") << check.name() << '\n';
  }
  void add(bool isPassed, const std::string &name, const std::string &text) {
    (isPassed ? passed : failed) += 1;
    done.insert(name);
    std::string line = std::string(isPassed ? "pass " : "FAIL ") + name +
                       (text.empty() ? "" : ": ") + text;
    std::ofstream(path, std::ios::app) << line << std::endl;
    std::remove((path + ".now").c_str());
    if (!isPassed || !text.empty())
      std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }

  int passed = 0, failed = 0;

private:
  std::string path;
  std::set<std::string> done;
};

int runChecks(const std::vector<std::string> &arguments) {
  if (arguments.size() < 2)
    failUsage(
        "usage: run-checks LIST RESULTS [--filter=TEXT] [--show] [flags]");
  std::vector<Check> checks = readList(arguments[0]);
  Results results(arguments[1]);
  std::string filter;
  bool show = false;
  std::vector<std::string> flags;
  for (size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i].rfind("--filter=", 0) == 0)
      filter = arguments[i].substr(9);
    else if (arguments[i] == "--show")
      show = true;
    else
      flags.push_back(arguments[i]);
  }
  auto start = std::chrono::steady_clock::now();
  for (const Check &check : checks) {
    if (results.has(check) || check.title.find(filter) == std::string::npos)
      continue;
    results.begin(check);
    auto [status, text] = run(check, flags);
    bool isPassed = status == Exit::Done;
    results.add(isPassed, check.name(), isPassed && !show ? "" : text);
    if (status == Exit::RankFailed)
      return kLeft;
  }
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  std::printf("%s: %d passed, %d failed, %.1f s\n", arguments[0].c_str(),
              results.passed, results.failed, seconds.count());
  return results.failed == 0 && results.passed > 0 ? kPassed : kFailed;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return runChecks({argv + 1, argv + argc});
  } catch (const std::exception &error) {
    std::fprintf(stderr, "run-checks: error: %s\n", error.what());
    return kUsage;
  }
}
