//===- Session.cpp - One run of shard-run ---------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// The order matters: files are looked at before the compiler starts, since it
// may take long; shapes and types once the signature is known; memory is taken
// before the first rank starts. Only then something runs.
// Results are compared and written after the last timed run.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Session.h"
#include "ArrayFiles/Files.h"
#include "Benchmark.h"
#include "Cache.h"
#include "Counters.h"
#include "Data.h"
#include "MeasureMachine.h"
#include "Page.h"
#include "Show.h"
#include "Timeline.h"
#include "Tune.h"

#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Runner/Compare.h"
#include "ShardIR/Runner/Compile.h"
#include "ShardIR/Runtime/Abi.h"
#include "ShardIR/Runtime/Processes.h"
#include "ShardIR/Runtime/Trace.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <thread>

using namespace shardir;
using namespace shardir::runner;

namespace {

/// Runs of which --measure-machine takes the fastest.
constexpr int kMeasuredRuns = 10;

class Session {
public:
  Session(const Options &options, const std::function<void(Phase)> &enter)
      : options(options), enter(enter),
        processes(knownDevice(options), options.timeout) {}

  Exit run() {
    processes.together([&] {
      checkFiles();
      if (processes.isFirst())
        start();
    });
    if (processes.areMany())
      shareProgram();
    if (options.compileOnly)
      return processes.endWith(Exit::Done);
    if (options.tune) {
      tune(program->report(), program->numRanks(), kernelTimesFile(), options,
           processes, enter);
      return Exit::Done;
    }
    RunData data(*program, options, processes);
    processes.together([&] {
      program->select(options.function);
      program->checkMesh(options.axes);
      processes.match(*program);
      if (options.verify && !program->hasUnsharded())
        failUsage("'" + options.programName() +
                  "' holds no unsharded program: compile "
                  "it with --verify");
      if (!options.show.empty())
        return show(data);
      data.loadArguments();
      data.loadExpected();
      data.prepareResults();
    });
    if (!options.show.empty())
      return processes.endWith(Exit::Done);
    return runAndCompare(data);
  }

  /// Times programs of this machine's devices, and writes its description.
  Exit measureMachine() {
    processes.together([&] {
      if (processes.isFirst())
        checkWritable(options.compiledFile);
    });
    int64_t devices = processes.areMany()
                          ? processes.getCount()
                          : std::max(1u, std::thread::hardware_concurrency());
    std::vector<MachineProbe> probes = machineProbes(devices);
    std::vector<double> seconds;
    for (const MachineProbe &probe : probes) {
      if (processes.isFirst())
        std::fprintf(stderr, "measuring %s of %s\n", probe.what(), probe.type);
      seconds.push_back(shortestTime(probe));
    }
    processes.together([&] {
      if (processes.isFirst())
        writeFile(options.compiledFile,
                  describeMachine(probes, seconds, devices));
    });
    return processes.endWith(Exit::Done);
  }

private:
  /// Seconds of the fastest of several runs.
  double shortestTime(const MachineProbe &probe) {
    programText = probe.program;
    processes.together([&] {
      if (processes.isFirst())
        load(/*compiled=*/false);
    });
    if (processes.areMany())
      shareProgram();
    RunData data(*program, options, processes);
    processes.together([&] {
      program->select(std::nullopt);
      processes.match(*program);
      data.loadArguments();
      data.prepareResults();
      data.keepOnRanks();
    });
    enter(Phase::Running);
    shardir_program_set_trace(program->get(), probe.isCollective());
    shardir_program_set_benchmark(program->get(), !probe.isCollective());
    double shortest = 0;
    processes.inStep([&] {
      // The first run is the warm-up.
      for (int i = 0; i <= kMeasuredRuns; ++i) {
        data.run(/*collect=*/false);
        shardir_measurement measured = {};
        check(shardir_last_measurement(program->get(), &measured));
        double time = probe.isCollective() ? collectiveTime(*program)
                                           : measured.milliseconds * 1e-3;
        if (i == 1 || (i > 1 && time < shortest))
          shortest = time;
      }
    });
    enter(Phase::Preparing);
    return shortest;
  }

  /// Seconds of the last run's collectives, on the slowest rank.
  static double collectiveTime(const Program &program) {
    const shardir_trace_event *events = nullptr;
    size_t count = 0;
    check(shardir_last_trace(program.get(), &events, &count));
    std::map<int32_t, double> ranks;
    for (size_t i = 0; i != count; ++i)
      if (events[i].collective >= 0)
        ranks[events[i].rank] += (events[i].end - events[i].ready) * 1e-6;
    double slowest = 0;
    for (const auto &[rank, time] : ranks)
      slowest = std::max(slowest, time);
    return slowest;
  }

  static bool endsWith(const std::string &text, const std::string &suffix) {
    return text.size() >= suffix.size() &&
           text.compare(text.size() - suffix.size(), suffix.size(), suffix) ==
               0;
  }

  /// Whether the program is on standard input.
  bool isStdin() const { return options.program == "-"; }

  static std::string readStdin() {
    std::string text;
    char buffer[4096];
    while (size_t count = std::fread(buffer, 1, sizeof buffer, stdin))
      text.append(buffer, count);
    if (std::ferror(stdin))
      failUsage(std::string("cannot read standard input: ") +
                std::strerror(errno));
    if (text.empty())
      failUsage("standard input holds no program");
    if (text.compare(0, 4,
                     "\x7f"
                     "ELF") == 0)
      failUsage("standard input holds a compiled program; name its file");
    return text;
  }

  /// Whether the compiler's options give `option` a value.
  static bool says(const std::string &pipeline, const char *option) {
    return (" " + pipeline).find(std::string(" ") + option + "=") !=
           std::string::npos;
  }

  CompileRequest request() const {
    bool gpu = options.device == "cuda-local" || options.device == "nccl";
    std::string pipeline = options.pipelineOptions;
    // For the GPU that is here, unless another one is named; the compiler's
    // choice where there is none. The emulated one runs others' PTX.
    if (const char *arch = gpu ? shardir_gpu_architecture() : nullptr) {
      if (!says(pipeline, "arch"))
        pipeline += std::string(pipeline.empty() ? "" : " ") + "arch=" + arch;
      else if (std::string(arch) == "host" && !says(pipeline, "ptxas"))
        pipeline += " ptxas=none";
    }
    // Plans that --tune has found on this machine.
    std::string times = gpu ? "" : kernelTimesFile();
    if (!times.empty() && !says(pipeline, "kernel-times") &&
        !says(pipeline, "target") && std::filesystem::exists(times))
      pipeline +=
          (pipeline.empty() ? "kernel-times=" : " kernel-times=") + times;
    return {options.program, options.function, options.mesh,
            pipeline,        options.verify,   gpu,
            programText,     options.plugins};
  }

  static const std::string &knownDevice(const Options &options) {
    const std::string &device = options.device;
    static const std::vector<std::string> known = {"threads", "mpi",
                                                   "cuda-local", "nccl"};
    if (std::find(known.begin(), known.end(), device) == known.end())
      failUsage("--device " + mustBeOneOf(known, device));
    return device;
  }

  /// Compiles and loads, or only compiles. With several processes, the first
  /// one does this.
  void start() {
    // One of the others says it once, beside process 0's own output.
    if (shardir_processes_launched_as() == 1 && !processes.areMany() &&
        !options.compileOnly)
      std::fprintf(stderr, "shard-run: note: each process that was started "
                           "runs the whole program; for one rank in each add "
                           "--device=mpi\n");
    bool compiled = !isStdin() && isCompiledProgram(options.program);
    if (compiled)
      checkCompiledFlags();
    else if (endsWith(options.program, ".so"))
      throw Failure(Exit::BadProgram, "'" + options.programName() +
                                          "' is not a compiled program");
    if (options.compileOnly)
      copyProgram(compileProgram(request()), options.compiledFile);
    else
      load(compiled);
  }

  /// All processes run the first one's program, so that it is compiled once and
  /// the same everywhere.
  void shareProgram() {
    std::string bytes = processes.fromFirst(programBytes);
    processes.together([&] {
      if (processes.isFirst() || options.compileOnly)
        return;
      std::string folder = makeTemporaryFolder();
      CompiledFile file(folder + "/program.so", folder);
      writeFile(file.getPath(), bytes);
      enter(Phase::Loading);
      program = std::make_unique<Program>(file.getPath());
      enter(Phase::Preparing);
    });
    programBytes.clear();
  }

  void keepBytes(const std::string &path) {
    if (!processes.areMany())
      return;
    FileSource source(path);
    programBytes = source.readString(0, source.size());
  }

  /// Checks that need no program.
  void checkFiles() {
    if (options.tune && kernelTimesFile().empty())
      failUsage("--tune keeps times beside compiled programs, and there is no "
                "folder for these: set SHARDIR_CACHE_DIR to one that can be "
                "written and has no blanks in its name");
    for (const char *option : {"target", "kernel-times"})
      if (options.tune && says(options.pipelineOptions, option))
        failUsage(std::string("--tune times the code of this machine, without "
                              "the option ") +
                  option);
    if (processes.isFirst() && isStdin())
      programText = readStdin();
    else if (processes.isFirst())
      checkReadable(options.program);
    for (const std::vector<ArrayArgument> *list :
         {&options.inputs, &options.expected})
      for (const ArrayArgument &array : *list)
        if (array.kind == ArrayArgument::File ||
            array.kind == ArrayArgument::Raw)
          checkReadable(array.file.path);
        else if (array.kind == ArrayArgument::Local)
          checkReadable(array.fileOfRank(processes.getNumber()).path);
    for (const ArrayRef &archive : options.inputArchives)
      checkReadable(archive.path);
    for (const ArrayArgument &array : options.outputs)
      if (array.kind == ArrayArgument::Local ||
          (array.kind != ArrayArgument::Stdout && processes.isFirst()))
        checkWritable(array.fileOfRank(processes.getNumber()).path);
    if (!processes.isFirst())
      return;
    if (options.outputArchive)
      checkWritable(options.outputArchive->path);
    for (const std::string &path : {options.report, options.html, options.trace,
                                    options.counters, options.compiledFile})
      if (!path.empty() && path != "-")
        checkWritable(path);
  }

  void checkCompiledFlags() const {
    if (options.compileOnly || options.tune)
      failUsage("'" + options.programName() + "' is compiled already");
    if (!options.pipelineOptions.empty())
      failUsage("--options are for the compiler, and '" +
                options.programName() + "' is compiled already");
    if (!options.plugins.empty())
      failUsage("plugins are for the compiler, and '" + options.programName() +
                "' is compiled already");
  }

  void load(bool compiled) {
    if (compiled) {
      enter(Phase::Loading);
      program = std::make_unique<Program>(options.program);
      keepBytes(options.program);
    } else {
      CompiledFile file = compileProgram(request());
      enter(Phase::Loading);
      try {
        program = std::make_unique<Program>(file.getPath());
        keepBytes(file.getPath());
      } catch (const Failure &) {
        // An entry of the cache that has gone bad is made again, once.
        CompiledFile fresh = compileProgram(request(), /*again=*/true);
        program = std::make_unique<Program>(fresh.getPath());
        keepBytes(fresh.getPath());
      }
    }
    enter(Phase::Preparing);
  }

  bool isTraced() const {
    return !options.trace.empty() || !options.html.empty();
  }

  /// Prints what each rank holds of the tensors of --show.
  void show(RunData &data) const {
    if (!options.inputs.empty())
      data.loadArguments();
    else
      for (const Tensor &argument : program->arguments)
        data.shapes.push_back(argument.shape);
    std::string all;
    for (const std::string &name : options.show)
      all += describeShards(*program, name, data.shapes);
    if (processes.isFirst())
      std::fwrite(all.data(), 1, all.size(), stdout);
  }

  Exit runAndCompare(RunData &data) {
    std::optional<Counters> counters;
    processes.together([&] {
      if (!options.counters.empty())
        counters.emplace(options.device);
    });
    enter(Phase::Running);
    shardir_catch_signals();
    shardir_program_set_trace(program->get(), isTraced());
    shardir_measurement measured = {};
    std::optional<Benchmark> benchmark;
    std::string unequal; ///< how a repeated run differs from the first one
    processes.inStep([&] {
      data.run();
      check(shardir_last_measurement(program->get(), &measured));
      if (options.repeat > 1)
        unequal = repeat(data);
      if (!options.benchmark)
        return;
      // Copies before each run would fill the caches.
      data.keepOnRanks();
      benchmark.emplace(*program, options.benchmark, isTraced(),
                        [&] { data.run(/*collect=*/false); });
    });
    bool equal = unequal.empty();
    std::string timeline;
    processes.together([&] {
      if (!equal)
        std::fprintf(messages(), "%s\n", unequal.c_str());
      // Before the unsharded program runs, which would be counted and traced.
      if (counters) {
        writeText(options.counters, counters->text(/*asTable=*/false));
        std::fputs(counters->text(/*asTable=*/true).c_str(), messages());
      }
      if (processes.isFirst() && isTraced())
        timeline = timelineOf(*program);
    });
    std::vector<Array> unsharded;
    if (options.verify)
      unsharded = runUnsharded(data);
    if (data.hasFiles())
      writeFiles(data);
    processes.together([&] {
      if (processes.isFirst())
        equal &= finish(data, unsharded, measured, benchmark, timeline);
      else
        data.writeResults();
    });
    return processes.endWith(equal ? Exit::Done : Exit::OutputsDiffer);
  }

  /// Results in files that all processes write.
  void writeFiles(RunData &data) const {
    processes.together([&] {
      if (processes.isFirst())
        data.createFiles();
    });
    processes.together([&] { data.fillFiles(); });
    processes.together([&] {
      if (processes.isFirst())
        data.publishFiles();
    });
  }

  /// Runs again; says which result is not the bits of the first run, and where.
  /// All processes run as often, whatever the first one finds.
  std::string repeat(RunData &data) {
    std::vector<Array> first;
    for (const Array &result : data.results)
      first.push_back(result.clone());
    std::string text;
    for (int64_t i = 1; i != options.repeat; ++i) {
      data.run();
      // Results are in the first process alone.
      for (size_t r = 0;
           processes.isFirst() && r != first.size() && text.empty(); ++r)
        if (int64_t at = firstDifference(first[r], data.results[r]); at >= 0)
          text = "result " + std::to_string(r) + ": run " +
                 std::to_string(i + 1) + " gives other bits than the first, " +
                 "from element " + std::to_string(at) + " on";
    }
    return text;
  }

  /// The unsharded program's results, in process 0. Where random inputs do not
  /// give finite ones, both programs run on others that do.
  std::vector<Array> runUnsharded(RunData &data) {
    auto areFinite = [](const std::vector<Array> &arrays) {
      return std::all_of(arrays.begin(), arrays.end(), isFinite);
    };
    std::vector<Array> unsharded;
    Spread spread = Spread::Even;
    processes.together([&] {
      if (!processes.isFirst())
        return;
      unsharded = data.runUnsharded();
      if (areFinite(unsharded) || !data.hasRandom() ||
          !options.expected.empty())
        return;
      for (Spread other : {Spread::Scaled, Spread::Positive}) {
        data.makeRandom(other);
        std::vector<Array> results = data.runUnsharded();
        if (!areFinite(results))
          continue;
        unsharded = std::move(results);
        spread = other;
        break;
      }
      std::string how = ", nor are they on small positive inputs; give inputs "
                        "with --input or --inputs to compare numbers";
      if (spread != Spread::Even)
        how = std::string("; they are compared on ") +
              (spread == Spread::Positive ? "positive " : "") +
              "random inputs divided by the square root of their longest "
              "extent";
      std::fprintf(stderr, "shard-run: note: the results are not finite%s\n",
                   how.c_str());
    });
    spread = Spread(processes.fromFirst({char(spread)}).at(0));
    if (spread != Spread::Even)
      processes.inStep([&] {
        data.makeRandom(spread);
        data.run();
      });
    return unsharded;
  }

  /// Compares and writes what there is. Whether the results are right.
  bool finish(RunData &data, const std::vector<Array> &unsharded,
              shardir_measurement &measured,
              const std::optional<Benchmark> &benchmark,
              const std::string &timeline) {
    bool equal = true;
    for (size_t i = 0; i != unsharded.size(); ++i)
      equal &=
          compareOne(i, data.results[i], unsharded[i], "the unsharded program");
    enter(Phase::Preparing);
    for (size_t i = 0; i != data.expected.size(); ++i)
      equal &= compareOne(i, data.results[i], data.expected[i],
                          options.expected[i].spelling);
    if (!options.expected.empty() &&
        data.expected.size() != data.results.size())
      std::fprintf(stderr,
                   "shard-run: note: results from %zu on are not compared\n",
                   data.expected.size());
    data.writeResults();
    bool silent = options.outputs.empty() && !options.outputArchive &&
                  options.expected.empty() && !options.verify &&
                  !options.benchmark && options.report.empty() &&
                  options.counters.empty() && !isTraced();
    for (size_t i = 0; silent && i != data.results.size(); ++i)
      data.printResult(i, /*limit=*/8);
    if (benchmark) {
      measured.milliseconds = benchmark->medianMilliseconds();
      benchmark->print(messages());
    }
    writeText(options.trace, timeline);
    if (!options.report.empty() || !options.html.empty())
      writeReports(measured, benchmark, timeline);
    return equal;
  }

  /// Where messages for people go: not between the lines of a report that a
  /// program reads from standard output.
  std::FILE *messages() const {
    return options.report == "-" ? stderr : stdout;
  }

  bool compareOne(size_t i, const Array &actual, const Array &expected,
                  const std::string &name) {
    Comparison result = compare(actual, expected, options.tolerance);
    std::fprintf(messages(), "result %zu: %s\n", i,
                 describe(result, actual, name).c_str());
    return result.equal;
  }

  void writeReports(const shardir_measurement &measured,
                    const std::optional<Benchmark> &benchmark,
                    const std::string &timeline) const {
    nlohmann::ordered_json report = program->report();
    report["measured"] = {
        {"bytes_per_device", measured.bytes_per_device},
        {"peak_bytes_per_device", measured.peak_bytes_per_device},
        {"ms", measured.milliseconds}};
    if (benchmark)
      report["measured"]["benchmark"] = benchmark->report();
    std::string text =
        report.dump(1, ' ', false,
                    nlohmann::ordered_json::error_handler_t::replace) +
        "\n";
    writeText(options.report, text);
    if (options.html.empty())
      return;
    writeText(options.html,
              pageOf(std::move(report), options.programName(), timeline));
  }

  static void writeText(const std::string &path, const std::string &text) {
    if (path == "-")
      std::fwrite(text.data(), 1, text.size(), stdout);
    else if (!path.empty())
      writeFile(path, text);
  }

  const Options &options;
  const std::function<void(Phase)> &enter;
  const Processes processes;
  std::unique_ptr<Program> program;
  std::string programText;  ///< what standard input held
  std::string programBytes; ///< for the other processes
};

} // namespace

Exit runner::runSession(const Options &options,
                        const std::function<void(Phase)> &enter) {
  if (!options.measureMachine)
    return Session(options, enter).run();
  Options own = options;
  own.program = "-";
  return Session(own, enter).measureMachine();
}
