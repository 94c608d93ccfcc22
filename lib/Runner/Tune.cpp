//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is timed in a program of its own, once for each plan that gives
// other tiles. The plans run in turn, so that what else the machine does meets
// all of them, and the least time of each counts.
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "ArrayFiles/Files.h"
#include "Data.h"
#include "Text.h"

#include "ShardIR/Runner/Compile.h"
#include "ShardIR/Runner/Failure.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <unistd.h>

using namespace shardir::runner;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kRounds = 20, kLeastRounds = 3;
constexpr double kLongSeconds = 10; ///< then the least rounds are enough
/// A plan replaces the choice where it takes at most this share of its time:
/// less is noise.
constexpr double kWorthwhile = 0.98;

/// An operand of a problem, `512x1024xf32[d0, d2]`.
struct Operand {
  std::string extents; ///< with the type's `x`: `512x1024x`
  std::string type;
  std::vector<int> loops;
  bool isUnsigned = false;

  /// On a mesh with one device for each rank, each with its own.
  std::string tensor(int64_t ranks) const {
    return "tensor<" + std::to_string(ranks) + "x" + extents + type + ">";
  }
  std::string map(size_t numLoops) const {
    std::string text = "affine_map<(r";
    for (size_t i = 0; i != numLoops; ++i)
      text += ", d" + std::to_string(i);
    text += ") -> (r";
    for (int loop : loops)
      text += ", d" + std::to_string(loop);
    return text + ")>";
  }
  std::string placement() const {
    std::string dims;
    for (size_t i = 0; i != loops.size(); ++i)
      dims += ", {}";
    return "{shardir.placement = #shardir.placement<@m, [{\"rank\"}" + dims +
           "]>}";
  }
};

/// The operands A, B and C of `contraction(…)`.
std::vector<Operand> parseProblem(const std::string &problem) {
  std::vector<Operand> operands;
  for (size_t at = problem.find('(') + 1; at < problem.size();) {
    size_t open = problem.find('[', at), close = problem.find(']', at);
    size_t type = problem.rfind('x', open) + 1;
    Operand operand;
    operand.extents = problem.substr(at, type - at);
    operand.isUnsigned = problem[type] == 'u';
    type += operand.isUnsigned;
    operand.type = problem.substr(type, open - type);
    for (size_t d = open; (d = problem.find('d', d)) < close; ++d)
      operand.loops.push_back(std::stoi(problem.substr(d + 1)));
    operands.push_back(operand);
    at = close + 3; // behind `], ` or `])`
  }
  return operands;
}

/// The product on each rank, as a program.
std::string programOf(const std::string &problem, int64_t ranks) {
  std::vector<Operand> operands = parseProblem(problem);
  const Operand &a = operands[0], &b = operands[1], &c = operands[2];
  size_t numLoops = c.loops.size() + 1;
  bool isInteger = c.type[0] == 'i';
  std::string loops, body;
  for (size_t i = 0; i != numLoops; ++i)
    loops += "\"parallel\", ";
  auto wide = [&](const Operand &operand, std::string name) {
    if (operand.type == c.type)
      return name;
    std::string op = !isInteger           ? "arith.extf "
                     : operand.isUnsigned ? "arith.extui "
                                          : "arith.extsi ";
    body += "  " + name + "w = " + op + name + " : " + operand.type + " to " +
            c.type + "\n";
    return name + "w";
  };
  std::string x = wide(a, "%x"), y = wide(b, "%y");
  std::string text = R"(
shardir.mesh @m <["rank"=RANKS]>
func.func @main(%a: ATENSOR APLACE, %b: BTENSOR BPLACE) -> (CTENSOR CPLACE) {
  %zero = arith.constant ZERO : CTYPE
  %empty = tensor.empty() : CTENSOR
  %init = linalg.fill ins(%zero : CTYPE) outs(%empty : CTENSOR) -> CTENSOR
  %c = linalg.generic {indexing_maps = [AMAP, BMAP, CMAP],
                       iterator_types = [LOOPS"reduction"]}
      ins(%a, %b : ATENSOR, BTENSOR) outs(%init : CTENSOR) {
  ^bb0(%x: ATYPE, %y: BTYPE, %z: CTYPE):
BODY  %p = arith.mulKIND LEFT, RIGHT : CTYPE
  %s = arith.addKIND %z, %p : CTYPE
  linalg.yield %s : CTYPE
  } -> CTENSOR
  return %c : CTENSOR
}
)";
  const char *names[] = {"A", "B", "C"};
  for (size_t i = 0; i != 3; ++i) {
    std::string name = names[i];
    replaceAll(text, name + "TENSOR", operands[i].tensor(ranks));
    replaceAll(text, name + "PLACE", operands[i].placement());
    replaceAll(text, name + "MAP", operands[i].map(numLoops));
    replaceAll(text, name + "TYPE", operands[i].type);
  }
  replaceAll(text, "RANKS", std::to_string(ranks));
  replaceAll(text, "ZERO", isInteger ? "0" : "0.0");
  replaceAll(text, "LOOPS", loops);
  replaceAll(text, "BODY", body);
  replaceAll(text, "KIND", isInteger ? "i" : "f");
  replaceAll(text, "LEFT", x);
  replaceAll(text, "RIGHT", y);
  return text;
}

/// The numbers of the option `plan` that are tried in place of those of `own`.
std::vector<std::string> alternativesTo(const Json &own) {
  std::vector<std::string> plans;
  if (!own.contains("tile_k"))
    return plans;
  auto number = [&](const char *name) { return own.at(name).get<int64_t>(); };
  int64_t columns = number("tile_n"), depth = number("tile_k"),
          rows = number("rows");
  auto add = [&](const char *name, int64_t value) {
    plans.push_back(name + std::to_string(value));
  };
  // Tiles of other shapes that fill as many registers, or fewer.
  add("tile_m=4,tile_n=", columns);
  add("tile_m=4,tile_n=", columns * 3 / 2);
  add("tile_m=6,tile_n=", columns * 3 / 4);
  add("tile_m=8,tile_n=", columns * 3 / 4);
  add("tile_m=8,tile_n=", columns / 2);
  for (int64_t k : {depth / 2, depth * 2})
    add("tile_k=", k);
  for (int64_t m : {rows / 2, rows * 2})
    add("rows=", m);
  return plans;
}

/// One plan of a product, compiled and with its arguments.
struct Candidate {
  std::string plan; ///< of the option; empty: the compiler's choice
  std::unique_ptr<Program> program;
  std::unique_ptr<RunData> data;
  double nanoseconds = 0;

  /// The product in the report of the program.
  Json product() const {
    Json report = program->report();
    return report.contains("kernels") && report["kernels"].size() == 1
               ? report["kernels"][0]
               : Json::object();
  }
};

class Tuner {
public:
  Tuner(int64_t ranks, const Options &options, const Processes &processes,
        const std::function<void(Phase)> &enter)
      : ranks(ranks), options(options), processes(processes), enter(enter) {}

  /// The entry of the table; null where the product is not what a program of
  /// its own has.
  Json measure(const std::string &problem) {
    std::string text = programOf(problem, ranks);
    std::vector<Candidate> candidates;
    candidates.push_back(compile(text, ""));
    Json own = candidates[0].product();
    if (own.value("problem", "") != problem)
      return nullptr;
    std::set<std::string> known = {own.at("reason")};
    for (const std::string &plan : alternativesTo(own.at("plan"))) {
      try {
        Candidate other = compile(text, plan);
        if (known.insert(other.product().value("reason", "")).second)
          candidates.push_back(std::move(other));
      } catch (const Failure &) {
        // No register tile has these numbers.
      }
    }
    time(candidates);
    const Candidate *best = &candidates[0];
    for (const Candidate &other : candidates)
      if (other.nanoseconds < best->nanoseconds &&
          other.nanoseconds < kWorthwhile * candidates[0].nanoseconds)
        best = &other;
    std::printf("%s: %zu plans, %.4g ms as chosen, ", problem.c_str(),
                candidates.size(), candidates[0].nanoseconds * 1e-6);
    if (best->plan.empty())
      std::printf("none is faster\n");
    else
      std::printf("%.4g ms with plan=%s\n", best->nanoseconds * 1e-6,
                  best->plan.c_str());
    std::fflush(stdout);
    return {{"problem", problem},
            {"schedule", own.at("schedule")},
            {"plan", numbersOf(best->plan)},
            {"measured_ns", int64_t(best->nanoseconds)},
            {"chosen_ns", int64_t(candidates[0].nanoseconds)}};
  }

private:
  Candidate compile(const std::string &text, const std::string &plan) {
    CompileRequest request;
    request.input = "-";
    request.text = text;
    request.isTrial = true;
    if (!plan.empty())
      request.options = "plan=" + plan;
    CompiledFile file = compileProgram(request);
    enter(Phase::Loading);
    Candidate made;
    made.plan = plan;
    made.program = std::make_unique<Program>(file.getPath());
    made.program->select(std::nullopt);
    enter(Phase::Preparing);
    return made;
  }

  /// Sets the times; the first run of each is a warm-up.
  void time(std::vector<Candidate> &candidates) {
    for (Candidate &one : candidates) {
      one.data = std::make_unique<RunData>(*one.program, options, processes);
      one.data->loadArguments();
      one.data->prepareResults();
      one.data->keepOnRanks();
      shardir_program_set_benchmark(one.program->get(), 1);
    }
    enter(Phase::Running);
    auto start = std::chrono::steady_clock::now();
    for (int round = 0; round <= kRounds; ++round) {
      std::chrono::duration<double> spent =
          std::chrono::steady_clock::now() - start;
      if (round > kLeastRounds && spent.count() > kLongSeconds)
        break;
      for (Candidate &one : candidates) {
        one.data->run(/*collect=*/false);
        shardir_measurement measured = {};
        check(shardir_last_measurement(one.program->get(), &measured));
        double time = measured.milliseconds * 1e6;
        if (round == 1 || (round > 1 && time < one.nanoseconds))
          one.nanoseconds = time;
      }
    }
    enter(Phase::Preparing);
  }

  /// `tile_m=4,tile_n=64` as an object.
  static Json numbersOf(const std::string &plan) {
    Json numbers = Json::object();
    for (size_t at = 0; at < plan.size();) {
      size_t equals = plan.find('=', at), end = plan.find(',', equals);
      numbers[plan.substr(at, equals - at)] =
          std::stoll(plan.substr(equals + 1));
      at = end == std::string::npos ? plan.size() : end + 1;
    }
    return numbers;
  }

  int64_t ranks;
  const Options &options;
  const Processes &processes;
  const std::function<void(Phase)> &enter;
};

} // namespace

void shardir::runner::tune(const Json &report, int64_t ranks,
                           const std::string &file, const Options &options,
                           const Processes &processes,
                           const std::function<void(Phase)> &enter) {
  Json table = {{"kernels", Json::array()}};
  // The compiler has read it: it is right, or not there.
  if (::access(file.c_str(), F_OK) == 0)
    table = Json::parse(readFile(file));
  std::set<std::string> known;
  for (const Json &entry : table["kernels"])
    known.insert(entry.at("problem"));
  Tuner tuner(ranks, options, processes, enter);
  size_t before = known.size(), products = 0;
  std::set<std::string> listed;
  if (report.contains("kernels"))
    for (const Json &product : report["kernels"]) {
      std::string problem = product.at("problem");
      if (!listed.insert(problem).second)
        continue;
      ++products;
      table["arch"] = product.at("arch");
      if (!known.insert(problem).second)
        continue;
      Json entry = tuner.measure(problem);
      if (entry.is_null())
        std::printf("%s: is not measured, as it is another product by itself\n",
                    problem.c_str());
      else
        table["kernels"].push_back(entry);
    }
  if (products == 0)
    std::printf("nothing to tune: the program has no products of known extents "
                "but small ones, which are vectorized loops\n");
  else
    std::printf("%zu of %zu products are new: %s\n", known.size() - before,
                products, file.c_str());
  if (known.size() == before)
    return;
  std::string temporary = file + ".tmp" + std::to_string(::getpid());
  writeFile(temporary, table.dump(1) + "\n");
  if (::rename(temporary.c_str(), file.c_str()) != 0)
    failUsage("cannot write '" + file + "': " + std::strerror(errno));
}
