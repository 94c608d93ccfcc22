//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks sharding rules by running them: for each function of a file, every
// placement that the rule of its op allows, shard by shard, against the whole
// op. Exit status: 0 all rules are right; 1 a rule is wrong, an op cannot be
// run, or a gap is not accepted; 2 wrong usage or an unreadable file.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/InitAll.h"
#include "ShardIR/Pipelines/Plugins.h"
#include "ShardIR/Placement/NearestName.h"
#include "Validate/Validate.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

namespace {

constexpr int kRight = 0, kWrong = 1, kUsage = 2;

constexpr llvm::StringLiteral kHelp =
    "usage: shard-validate FILE.mlir... [flags]\n"
    "  each public function of a file is about the op whose results it "
    "returns\n"
    "  --samples=N       try N placements of each op on each mesh; all unless "
    "given\n"
    "  --seed=N          of the samples and of the test data; 0 unless given, "
    "or random\n"
    "  --all-meshes      also axes of 7, 3 x 2, and 2 x 2 x 2\n"
    "  --function=NAME   check this function alone\n"
    "  --accepted=FILE   known gaps, a JSON array of {op, missing, reason}\n"
    "  --exact           also fail where an accepted gap is none any more\n"
    "  --soundness-only  do not look for what rules lack\n"
    "  --json=FILE       write what was found; - for standard output\n"
    "  --docs=FILE       write tables of the rules for docs/Rules.md\n"
    "  --quiet           print nothing where all is right\n"
    "  --load-dialect-plugin=FILE, --load-pass-plugin=FILE\n"
    "                    dialects and passes of another compiler\n";

struct Flags {
  std::vector<std::string> files;
  std::string accepted, json, docs;
  ValidateOptions options;
  Plugins plugins;
  bool help = false, quiet = false, exact = false;
};

int usage(const llvm::Twine &message) {
  llvm::errs() << "shard-validate: error: " << message << '\n';
  return kUsage;
}

/// Parses the command line; returns the error, or nullopt.
std::optional<std::string> parseFlags(int argc, char **argv, Flags &flags) {
  for (int i = 1; i < argc; ++i) {
    StringRef flag = argv[i];
    if (!flag.starts_with("--")) {
      flags.files.push_back(flag.str());
      continue;
    }
    if (flags.plugins.take(flag))
      continue;
    auto [name, value] = flag.split('=');
    bool hasValue = flag.contains('=');
    bool bad = false;
    if (name == "--samples" && hasValue)
      bad = value.getAsInteger(10, flags.options.samples) ||
            flags.options.samples < 0;
    else if (flag == "--seed=random")
      flags.options.seed = std::random_device{}();
    else if (name == "--seed" && hasValue)
      bad = value.getAsInteger(10, flags.options.seed);
    else if (name == "--function" && hasValue)
      flags.options.function = value.str();
    else if (name == "--accepted" && hasValue)
      flags.accepted = value.str();
    else if (name == "--json" && hasValue)
      flags.json = value.str();
    else if (name == "--docs" && hasValue)
      flags.docs = value.str();
    else if (flag == "--soundness-only")
      flags.options.completeness = false;
    else if (flag == "--all-meshes")
      flags.options.meshes = Meshes::All;
    else if (flag == "--exact")
      flags.exact = true;
    else if (flag == "--quiet")
      flags.quiet = true;
    else if (flag == "--help")
      flags.help = true;
    else
      return "unknown flag '" + flag.str() + "'" +
             didYouMeanFlag(name.str(),
                            {"--samples", "--seed", "--all-meshes",
                             "--function", "--accepted", "--exact",
                             "--soundness-only", "--json", "--docs", "--quiet",
                             "--help", "--load-dialect-plugin",
                             "--load-pass-plugin"});
    if (bad)
      return ("'" + flag + "' must be a number that is not negative").str();
  }
  if (flags.files.empty() && !flags.help)
    return "no file to check; see --help";
  return std::nullopt;
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  if (auto wrong = parseFlags(argc, argv, flags))
    return usage(*wrong);
  if (flags.help) {
    llvm::outs() << kHelp;
    return kRight;
  }
  Accepted accepted;
  if (!flags.accepted.empty()) {
    auto file = llvm::MemoryBuffer::getFile(flags.accepted);
    if (!file)
      return usage("cannot read '" + flags.accepted +
                   "': " + file.getError().message());
    auto parsed = Accepted::parse((*file)->getBuffer());
    if (!parsed)
      return usage("'" + flags.accepted +
                   "': " + llvm::toString(parsed.takeError()));
    accepted = std::move(*parsed);
  }
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  shardir::registerAllDialects(registry);
  std::string error;
  if (failed(flags.plugins.load(registry, error)))
    return usage(error);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.printOpOnDiagnostic(false);

  std::vector<OpReport> all;
  std::vector<OwningOpRef<ModuleOp>> modules;
  for (const std::string &path : flags.files) {
    llvm::SourceMgr sources;
    auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
    if (!file)
      return usage("cannot read '" + path + "': " + file.getError().message());
    sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
    SourceMgrDiagnosticHandler handler(sources, &context);
    modules.push_back(parseSourceFile<ModuleOp>(sources, &context));
    if (!modules.back())
      return kUsage;
    for (OpReport &report :
         validateModule(*modules.back(), flags.options, accepted)) {
      report.file = path;
      all.push_back(std::move(report));
    }
  }
  if (all.empty())
    return usage("no function to check; one is public and returns the results "
                 "of one op");
  auto write = [&](const std::string &path, auto &&print) {
    std::error_code error;
    if (path.empty())
      return true;
    llvm::raw_fd_ostream out(path, error);
    if (!error)
      print(out);
    else
      usage("cannot write '" + path + "': " + error.message());
    return !error;
  };
  if (!write(flags.json,
             [&](auto &out) {
               out << llvm::formatv("{0:2}", toJson(all)) << '\n';
             }) ||
      !write(flags.docs, [&](auto &out) { out << rulePage(all); }))
    return kUsage;
  int64_t ran = 0, allowed = 0, wrong = 0, gaps = 0, known = 0;
  for (const OpReport &report : all) {
    ran += report.ran;
    allowed += report.allowed;
    wrong += !report.wrong.empty() || !report.error.empty();
    for (const Missing &missing : report.missing)
      ++(missing.reason.empty() ? gaps : known);
  }
  // An entry that nothing needs any more hides the next gap.
  std::vector<std::string> unused;
  if (flags.exact)
    unused = accepted.unused();
  for (const std::string &entry : unused)
    llvm::errs() << "shard-validate: accepted but not missing: " << entry
                 << '\n';
  bool right = !wrong && !gaps && unused.empty();
  if (!right || !flags.quiet)
    llvm::outs() << all.size() << " ops, " << ran << " of " << allowed
                 << " placements ran, seed " << flags.options.seed << ": "
                 << wrong << " rules wrong, " << gaps << " gaps, " << known
                 << " accepted\n";
  return right ? kRight : kWrong;
}
