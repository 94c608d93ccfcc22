//===- Options.cpp - The command line of shard-run ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// One table names every flag, whether it takes a value and what it sets; the
// loop over the arguments knows no flag by name. Values are read strictly: a
// number must be all of its text. Flags that have no effect together are
// refused rather than ignored.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Options.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Runner/Failure.h"
#include "Text.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <set>

using namespace shardir;
using namespace shardir::runner;

static const char kHelp[] = R"(shard-run PROGRAM [flags]

Compiles (if need be) and runs a program on all devices of its mesh.
PROGRAM is an .mlir file or a program compiled with --compile-only; - is an
.mlir program on standard input.

  --function=NAME         the function to run; may be left out where there is one
  --input=@x.npy          an argument, in order; all or none are given
  --input=2x2xf32=1,2,3,4 the same as text; one value stands for all elements
  --input=2x2xf32=@x.bin  the same from a file without a header
  --input=local:@x.{rank}.npy     one shard per rank
  --inputs=w.npz          arguments by their names, or arg0, arg1, ...; those
                          that no such file has are --input's, in order
  --seed=N                seed of the random arguments, if none are given (0)
  --output=@y.npy | -     where a result goes, in order; - prints it
  --output=local:@y.{rank}.npy    one shard per rank
  --outputs=y.npz         all results by their names, or result0, result1, ...
  --outputs=y.safetensors.index.json      the same in several files and an index
  --part-bytes=N          of one of these files (5000000000)
  --expected_output=@y.npy        what a result should be, in order
  --tolerance=T           allowed error relative to the largest expected value
  --verify                compare with the unsharded program on one device
  --device=threads | mpi | cuda-local | nccl
                          how the ranks communicate; mpi is run by mpirun, nccl
                          by mpirun, srun or torchrun; cuda-local has all ranks
                          share a GPU, nccl gives each its own
  --mesh=dp=2,tp=4        sizes of symbolic mesh axes
  --options="cost=bytes strict"   options of the compiler
  --load-dialect-plugin=p.so, --load-pass-plugin=p.so
                          dialects and passes of another compiler; --options
                          names the passes: after-local, after-bufferized
  --compile-only -o p.so  write the compiled program and stop
  --measure-machine -o m.json     measure the rates of this machine, for the
                          option machine of the compiler; takes no PROGRAM
  --tune                  time plans of the program's products on this machine;
                          programs that are compiled later use the fastest
  --show=arg0 | result0   print which part of it each rank holds, and stop
  --report=r.json         the compiler's report and what the run measured
  --html=r.html           the same as a page, with the timeline of the run
  --trace=t.json          a timeline for Perfetto or chrome://tracing
  --counters=c.json       what kernels execute and access, and a table of it, by
                          the emulated GPU
  --repeat=N              run N times, and compare the results bit by bit
  --benchmark[=N]         run N more times (10); print minimum and median
  --timeout=SECONDS       deadline of every wait (60)
  --reductions=engine | ordered   over mpi and nccl: by their own reductions (default), or
                          in the order, and with the bits, of threads
  --check=load | every    over mpi: when processes compare what they are in, at
                          the start (default) or at every collective
  --help, --version

Array files: .npy, .npz:NAME, .safetensors:NAME, .bin or .raw.
Exit status: 0 done, 1 outputs differ, 2 wrong usage or files, 3 the program
does not parse, verify or compile, 4 a rank failed or a deadline passed.
)";

const char *runner::helpText() { return kHelp; }

static bool startsWith(const std::string &text, const std::string &prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

template <typename T>
static bool parseNumber(const std::string &text, T &value) {
  const char *end = text.data() + text.size();
  std::from_chars_result read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end;
}

static const char kRank[] = "{rank}";

ArrayRef ArrayArgument::fileOfRank(int64_t rank) const {
  ArrayRef ref = file;
  replaceAll(ref.path, kRank, std::to_string(rank));
  replaceAll(ref.member, kRank, std::to_string(rank));
  return ref;
}

static ArrayArgument parseArray(const std::string &flag,
                                const std::string &value) {
  ArrayArgument result;
  result.spelling = value;
  bool isOutput = flag == "--output";
  try {
    if (isOutput && value == "-") {
      result.kind = ArrayArgument::Stdout;
    } else if (startsWith(value, "@")) {
      result.file = parseArrayRef(value.substr(1));
    } else if (startsWith(value, "local:@")) {
      result.kind = ArrayArgument::Local;
      result.file = parseArrayRef(value.substr(7));
      if (value.find(kRank) == std::string::npos)
        failUsage("a local file is named once per rank: write {rank} in its "
                  "name, as in local:@x.{rank}.npy");
      if (flag == "--expected_output")
        failUsage("expected outputs are global arrays");
    } else if (isOutput) {
      failUsage("expected @FILE, local:@FILE or -");
    } else if (size_t at = value.find("=@"); at != std::string::npos) {
      result.kind = ArrayArgument::Raw;
      result.text = splitArrayText(value.substr(0, at));
      result.file = {value.substr(at + 2), FileFormat::Raw, ""};
    } else {
      result.kind = ArrayArgument::Text;
      result.text = splitArrayText(value);
    }
  } catch (const Failure &failure) {
    failUsage(flag + "=" + value + ": " + failure.what());
  }
  return result;
}

static std::vector<AxisSize> parseMesh(const std::string &text) {
  std::vector<AxisSize> axes;
  for (size_t at = 0; at <= text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    std::string entry = text.substr(at, comma - at);
    size_t equals = entry.find('=');
    AxisSize axis;
    std::string name = entry.substr(0, equals);
    size_t dot = name.find('.');
    if (dot != std::string::npos)
      axis.mesh = name.substr(0, dot);
    axis.axis = dot == std::string::npos ? name : name.substr(dot + 1);
    if (equals == std::string::npos || axis.axis.empty() || dot == 0 ||
        !parseNumber(entry.substr(equals + 1), axis.size) || axis.size < 1)
      failUsage("--mesh=" + text + ": cannot read '" + entry +
                "': expected an axis and a positive size, as in dp=2,tp=4 or "
                "m.dp=2");
    for (const AxisSize &other : axes)
      if (other.axis == axis.axis && other.mesh == axis.mesh)
        failUsage("--mesh=" + text + ": axis '" + name + "' is given twice");
    axes.push_back(axis);
    at = comma + 1;
  }
  return axes;
}

namespace {

struct Flag {
  const char *name;
  enum { None, Optional, Required } value;
  bool repeatable;
  /// Gets the value; with Optional, whether there is one.
  std::function<void(const std::string &value, bool given)> set;
  bool emptyAllowed = false;
};

std::vector<Flag> makeFlags(Options &o) {
  auto text = [](std::string &to) {
    return [&to](const std::string &value, bool) { to = value; };
  };
  auto array = [](const char *flag, std::vector<ArrayArgument> &to) {
    return [flag, &to](const std::string &value, bool) {
      to.push_back(parseArray(flag, value));
    };
  };
  auto archive = [](const char *flag, const std::string &value) {
    try {
      return parseArchive(value);
    } catch (const Failure &failure) {
      failUsage(std::string(flag) + "=" + value + ": " + failure.what());
    }
  };
  auto plugin = [&o](const char *flag) {
    return [&o, flag](const std::string &value, bool) {
      o.plugins.push_back(std::string(flag) + "=" + value);
    };
  };
  auto boolean = [](bool &to) {
    return [&to](const std::string &, bool) { to = true; };
  };
  return {
      {"--function", Flag::Required, false,
       [&o](const std::string &v, bool) { o.function = v; }},
      {"--input", Flag::Required, true, array("--input", o.inputs)},
      {"--inputs", Flag::Required, true,
       [&o, archive](const std::string &v, bool) {
         o.inputArchives.push_back(archive("--inputs", v));
       }},
      {"--outputs", Flag::Required, false,
       [&o, archive](const std::string &v, bool) {
         o.outputArchive = archive("--outputs", v);
       }},
      {"--part-bytes", Flag::Required, false,
       [&o](const std::string &v, bool) {
         if (!parseNumber(v, o.partBytes) || o.partBytes == 0)
           failUsage("--part-bytes=" + v +
                     ": expected a positive number of bytes");
       }},
      {"--output", Flag::Required, true, array("--output", o.outputs)},
      {"--expected_output", Flag::Required, true,
       array("--expected_output", o.expected)},
      {"--tolerance", Flag::Required, false,
       [&o](const std::string &v, bool) {
         double t;
         if (!parseNumber(v, t) || !(t >= 0) || std::isinf(t))
           failUsage("--tolerance=" + v +
                     ": expected a number that is not "
                     "negative");
         o.tolerance = t;
       }},
      {"--verify", Flag::None, false, boolean(o.verify)},
      {"--device", Flag::Required, false, text(o.device)},
      {"--mesh", Flag::Required, false,
       [&o](const std::string &v, bool) {
         o.axes = parseMesh(v);
         o.mesh = v;
       }},
      {"--options", Flag::Required, false, text(o.pipelineOptions), true},
      {"--load-dialect-plugin", Flag::Required, true,
       plugin("--load-dialect-plugin")},
      {"--load-pass-plugin", Flag::Required, true,
       plugin("--load-pass-plugin")},
      {"--compile-only", Flag::None, false, boolean(o.compileOnly)},
      {"--measure-machine", Flag::None, false, boolean(o.measureMachine)},
      {"--tune", Flag::None, false, boolean(o.tune)},
      {"-o", Flag::Required, false, text(o.compiledFile)},
      {"--show", Flag::Required, true,
       [&o](const std::string &v, bool) { o.show.push_back(v); }},
      {"--report", Flag::Required, false, text(o.report)},
      {"--html", Flag::Required, false, text(o.html)},
      {"--trace", Flag::Required, false, text(o.trace)},
      {"--counters", Flag::Required, false, text(o.counters)},
      {"--benchmark", Flag::Optional, false,
       [&o](const std::string &v, bool given) {
         o.benchmark = 10;
         if (given && (!parseNumber(v, o.benchmark) || o.benchmark < 1 ||
                       o.benchmark > 100'000'000))
           failUsage("--benchmark=" + v +
                     ": expected a positive number of runs");
       }},
      {"--repeat", Flag::Required, false,
       [&o](const std::string &v, bool) {
         if (!parseNumber(v, o.repeat) || o.repeat < 1 || o.repeat > 1'000'000)
           failUsage("--repeat=" + v + ": expected a positive number of runs");
       }},
      {"--seed", Flag::Required, false,
       [&o](const std::string &v, bool) {
         if (!parseNumber(v, o.seed))
           failUsage("--seed=" + v +
                     ": expected an integer that is not "
                     "negative");
       }},
      {"--timeout", Flag::Required, false,
       [&o](const std::string &v, bool) {
         if (!parseNumber(v, o.timeout) || !(o.timeout > 0) ||
             !(o.timeout <= 1e9))
           failUsage("--timeout=" + v +
                     ": expected a positive number of seconds");
       }},
      {"--reductions", Flag::Required, false,
       [&o](const std::string &v, bool) {
         if (v != "engine" && v != "ordered")
           failUsage("--reductions=" + v + ": expected engine or ordered");
         o.reductions = v;
       }},
      {"--check", Flag::Required, false,
       [&o](const std::string &v, bool) {
         if (v != "load" && v != "every")
           failUsage("--check=" + v + ": expected load or every");
         o.check = v;
       }},
      {"--help", Flag::None, false, boolean(o.help)},
      {"-h", Flag::None, false, boolean(o.help)},
      {"--version", Flag::None, false, boolean(o.version)},
  };
}

std::vector<std::string> namesOf(const std::vector<Flag> &flags) {
  std::vector<std::string> names;
  for (const Flag &flag : flags)
    names.push_back(flag.name);
  return names;
}

void checkTogether(const Options &o) {
  if (o.measureMachine) {
    if (!o.program.empty())
      failUsage("--measure-machine runs programs of its own: drop '" +
                o.program + "'");
    if (o.compiledFile.empty())
      failUsage("--measure-machine needs -o FILE");
    return;
  }
  if (o.program.empty())
    failUsage(
        "no program is given: shard-run PROGRAM [flags]; --help lists the "
        "flags");
  if (o.tune && (o.compileOnly || o.device != "threads" || !o.inputs.empty() ||
                 !o.inputArchives.empty() || !o.outputs.empty() ||
                 o.outputArchive || !o.expected.empty() || o.verify ||
                 o.benchmark || !o.trace.empty() || !o.report.empty() ||
                 !o.html.empty() || !o.counters.empty() || !o.show.empty()))
    failUsage("--tune runs programs of its own, with ranks as threads: give it "
              "PROGRAM, --function, --mesh and --options alone");
  if (o.compileOnly && o.compiledFile.empty())
    failUsage("--compile-only needs -o FILE");
  if (!o.compileOnly && !o.compiledFile.empty())
    failUsage("-o names the file that --compile-only or --measure-machine "
              "writes; results go to --output");
  if (o.compileOnly &&
      (!o.inputs.empty() || !o.inputArchives.empty() || !o.outputs.empty() ||
       o.outputArchive || !o.expected.empty() || o.benchmark ||
       !o.trace.empty() || !o.report.empty() || !o.html.empty() ||
       !o.counters.empty() || !o.show.empty()))
    failUsage("--compile-only runs nothing: drop --input, --inputs, --output, "
              "--outputs, --expected_output, --benchmark, --show, --report, "
              "--html, --counters and --trace");
  if (!o.show.empty() &&
      (!o.outputs.empty() || o.outputArchive || !o.expected.empty() ||
       o.verify || o.benchmark || !o.trace.empty() || !o.report.empty() ||
       !o.counters.empty() || !o.html.empty()))
    failUsage("--show runs nothing: drop --output, --outputs, "
              "--expected_output, --verify, --benchmark, --report, --html, "
              "--counters and --trace");
  // Archives collect several results; any other file holds one.
  std::set<std::string> targets;
  for (const ArrayArgument &output : o.outputs)
    if (output.kind != ArrayArgument::Stdout &&
        !targets.insert(output.file.path + "\n" + output.file.member).second)
      failUsage("--output=" + output.spelling + " is given twice");
  for (const ArrayArgument &output : o.outputs)
    if (o.outputArchive && output.kind != ArrayArgument::Stdout &&
        output.file.path == o.outputArchive->path)
      failUsage("--output=" + output.spelling +
                ": --outputs writes this file with all results");
  for (const ArrayArgument &output : o.outputs)
    if (output.kind != ArrayArgument::Stdout &&
        output.file.format == FileFormat::SafetensorsIndex)
      failUsage("--output=" + output.spelling +
                ": an index is written with all results: use --outputs");
  for (const ArrayArgument &output : o.outputs)
    if (output.kind != ArrayArgument::Stdout && output.file.member.empty() &&
        (output.file.format == FileFormat::Npz ||
         output.file.format == FileFormat::Safetensors))
      failUsage("--output=" + output.spelling +
                ": say the array's name: " + output.spelling + ":NAME");
}

} // namespace

Options runner::parseOptions(const std::vector<std::string> &arguments) {
  Options options;
  std::vector<Flag> flags = makeFlags(options);
  std::set<std::string> seen;
  bool onlyProgram = false;
  for (size_t i = 0; i != arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument == "--" && !onlyProgram) {
      onlyProgram = true;
      continue;
    }
    if (onlyProgram || argument.size() < 2 || argument[0] != '-') {
      if (argument.empty())
        failUsage("the name of the program is empty");
      if (!options.program.empty())
        failUsage("one program is expected, found '" + options.program +
                  "' and '" + argument + "'");
      options.program = argument;
      continue;
    }
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    bool given = equals != std::string::npos;
    std::string value = given ? argument.substr(equals + 1) : "";
    const Flag *flag = nullptr;
    for (const Flag &candidate : flags)
      if (name == candidate.name)
        flag = &candidate;
    if (!flag)
      failUsage("unknown flag '" + name + "'" +
                didYouMeanFlag(name, namesOf(flags)));
    if (!flag->repeatable && !seen.insert(name).second)
      failUsage("flag '" + name + "' is given twice");
    if (flag->value == Flag::None && given)
      failUsage("flag '" + name + "' takes no value");
    if (flag->value == Flag::Required && !given) {
      // A flag is no value: `--output --verify` lacks one.
      if (i + 1 == arguments.size() || startsWith(arguments[i + 1], "--"))
        failUsage("flag '" + name + "' needs a value");
      value = arguments[++i];
      given = true;
    }
    if (given && value.empty() && !flag->emptyAllowed)
      failUsage("flag '" + name + "' needs a value");
    flag->set(value, given);
  }
  if (!options.help && !options.version)
    checkTogether(options);
  return options;
}
