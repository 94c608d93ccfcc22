//===- Data.cpp - Arguments and results of one run ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Whole arrays go through shardir_run, which distributes and collects. As soon
// as one input or output is per rank, the run is on shards: whole arguments are
// cut up first, whole results put together after, by the runtime's own
// functions, so that both ways of running see the same shards.
//
//===----------------------------------------------------------------------===//

#include "Data.h"

#include "Progress.h"
#include "ShardIR/Runner/Failure.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

using namespace shardir;
using namespace shardir::runner;

static std::string nameOf(const char *what, size_t i) {
  return std::string(what) + " " + std::to_string(i);
}

/// Runs `body` and says in its Failure what was worked on.
template <typename Body>
static auto during(const std::string &what, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const Failure &failure) {
    throw Failure(failure.getStatus(), what + ": " + failure.what());
  }
}

static Array parseChecked(const ArrayText &text, const Tensor &tensor) {
  if (text.type != tensor.type || !shapeMatches(text.shape, tensor.shape))
    failUsage("it is " + formatType(text.shape, text.type) + ", expected " +
              tensor.typeString());
  return parseArrayText(text);
}

const Shape &RunData::wantedShape(size_t i, const ArrayArgument &input) const {
  const Tensor &tensor = program.arguments[i];
  if (input.kind != ArrayArgument::Raw)
    return tensor.shape;
  if (input.text.type != tensor.type ||
      !shapeMatches(input.text.shape, tensor.shape))
    failUsage("it is " + formatType(input.text.shape, input.text.type) +
              ", expected " + tensor.typeString());
  return input.text.shape;
}

Array RunData::loadWhole(size_t i, const ArrayArgument &input) const {
  const Tensor &tensor = program.arguments[i];
  if (input.kind == ArrayArgument::Text)
    return parseChecked(input.text, tensor);
  return readArray(input.file, tensor.type, wantedShape(i, input));
}

bool RunData::canSlice() const {
  if (!processes.areMany() || options.verify || options.benchmark > 0 ||
      options.repeat > 1 || !options.expected.empty())
    return false;
  auto isWritten = [&](const ArrayRef &file, size_t i) {
    return file.format != FileFormat::Npz &&
           program.placement(true, i).first.partialAxes.empty();
  };
  bool writes = options.outputArchive.has_value();
  for (size_t i = 0; writes && i != program.results.size(); ++i)
    if (!isWritten(*options.outputArchive, i))
      return false;
  for (size_t i = 0;
       i != std::min(options.outputs.size(), program.results.size()); ++i) {
    const ArrayArgument &output = options.outputs[i];
    writes = true;
    if (output.kind != ArrayArgument::Local &&
        (output.kind != ArrayArgument::File || !isWritten(output.file, i)))
      return false;
  }
  return writes;
}

bool RunData::loadOwnShard(size_t i, const ArrayArgument &input) {
  if (input.kind != ArrayArgument::File && input.kind != ArrayArgument::Raw)
    return false;
  ArrayRef ref = resolveIndex(input.file);
  FileSource source(ref.path);
  std::optional<StoredArray> stored =
      findArray(source, ref, program.arguments[i].type, wantedShape(i, input));
  if (!stored || !stored->plain)
    return false;
  argumentShards[i].resize(size_t(program.numRanks()));
  argumentShards[i][size_t(processes.getNumber())] =
      readShard(program, i, processes.getNumber(), source, *stored);
  shapes[i] = stored->shape;
  argumentsAreGlobal = false;
  return true;
}

Shards RunData::loadShards(size_t i, const ArrayArgument &input) const {
  Shards shards;
  // The unsharded program needs all of them, where it runs; and extents that
  // are open are what all of them add up to.
  bool all = (options.verify && processes.isFirst()) ||
             !program.arguments[i].isStatic();
  for (int64_t rank = 0; rank != program.numRanks(); ++rank)
    shards.push_back(all || processes.holds(rank)
                         ? readArray(input.fileOfRank(rank),
                                     program.arguments[i].type,
                                     program.localShape(false, i, rank))
                         : Array());
  return shards;
}

static std::vector<shardir_buffer> viewsOf(std::vector<Array> &arrays) {
  std::vector<shardir_buffer> views;
  for (Array &array : arrays)
    views.push_back(array.view());
  return views;
}

Shape RunData::globalShape(size_t i) {
  const Tensor &tensor = program.arguments[i];
  if (tensor.isStatic())
    return tensor.shape;
  Shape shape(tensor.shape.size());
  std::vector<shardir_buffer> shards = viewsOf(argumentShards[i]);
  check(shardir_argument_global_shape(program.get(), program.functionName(), i,
                                      shards.data(), shape.data()));
  return shape;
}

void RunData::findSources() {
  size_t count = program.arguments.size();
  sources.assign(count, nullptr);
  named.reserve(count);
  for (const ArrayRef &archive : options.inputArchives) {
    std::vector<std::string> names = readArrayNames(archive);
    std::set<std::string> known(names.begin(), names.end());
    bool used = false;
    for (size_t i = 0; i != count; ++i) {
      std::string name = program.arguments[i].name;
      if (!known.count(name))
        name = "arg" + std::to_string(i);
      if (!known.count(name))
        continue;
      ArrayArgument argument;
      argument.file = archive;
      argument.file.member = name;
      argument.spelling = "@" + argument.file.spelling();
      if (sources[i])
        failUsage(nameOf("argument", i) + " is in two files of --inputs: " +
                  sources[i]->spelling + " and " + argument.spelling);
      named.push_back(std::move(argument));
      sources[i] = &named.back();
      used = true;
    }
    if (used || count == 0)
      continue;
    std::string wanted;
    for (size_t i = 0; i != std::min<size_t>(count, 8); ++i)
      wanted += (i ? ", " : "") + program.arguments[i].name;
    failUsage("--inputs=" + archive.path +
              ": it has no array with the name of an argument; these are: " +
              wanted + (count > 8 ? ", ..." : ""));
  }
  size_t rest = count - named.size();
  if (!options.inputs.empty() && options.inputs.size() != rest)
    failUsage("function '" + std::string(program.functionName()) + "' has " +
              std::to_string(rest) + " arguments" +
              (named.empty() ? "" : " that --inputs does not have") + ", " +
              std::to_string(options.inputs.size()) +
              " --input are given; give all, or none for random ones");
  auto next = options.inputs.begin();
  for (const ArrayArgument *&source : sources)
    if (!source && next != options.inputs.end())
      source = &*next++;
}

void RunData::loadArguments() {
  size_t count = program.arguments.size();
  findSources();
  for (const ArrayArgument &input : options.inputs)
    local |= input.kind == ArrayArgument::Local;
  for (const ArrayArgument &output : options.outputs)
    local |= output.kind == ArrayArgument::Local;
  sliced = canSlice();
  local |= sliced;
  argumentShards.resize(count);
  arguments.resize(count);
  shapes.resize(count);
  std::string random;
  Progress progress("reading", count, Progress::terminal(processes.isFirst()));
  for (size_t i = 0; i != count; ++i) {
    progress.show(i);
    const Tensor &tensor = program.arguments[i];
    if (!sources[i]) {
      if (!tensor.isStatic()) {
        std::string example = tensor.typeString();
        std::replace(example.begin(), example.end(), '?', '8');
        failUsage(nameOf("argument", i) + " is " + tensor.typeString() +
                  ": random arrays need known extents; give each argument an "
                  "--input, such as --input=" +
                  example + " for zeros");
      }
      arguments[i] = randomArray(tensor.type, tensor.shape, options.seed, i);
      shapes[i] = tensor.shape;
      random += (random.empty() ? "" : ", ") + std::to_string(i) + " (" +
                tensor.typeString() + ")";
      continue;
    }
    const ArrayArgument &input = *sources[i];
    during("--input=" + input.spelling + " for " + nameOf("argument", i), [&] {
      if (input.kind == ArrayArgument::Local) {
        argumentShards[i] = loadShards(i, input);
        shapes[i] = globalShape(i);
        argumentsAreGlobal = false;
      } else if (!sliced || !loadOwnShard(i, input)) {
        arguments[i] = loadWhole(i, input);
        shapes[i] = arguments[i].shape;
      }
    });
  }
  if (!random.empty() && processes.isFirst() && !options.measureMachine &&
      !options.tune)
    std::fprintf(stderr, "shard-run: note: random inputs, seed %llu: %s\n",
                 static_cast<unsigned long long>(options.seed), random.c_str());
}

bool RunData::hasRandom() const {
  return std::find(sources.begin(), sources.end(), nullptr) != sources.end();
}

void RunData::makeRandom(Spread spread) {
  for (size_t i = 0; i != sources.size(); ++i) {
    if (sources[i])
      continue;
    arguments[i] = randomArray(program.arguments[i].type, shapes[i],
                               options.seed, i, spread);
    argumentShards[i].clear();
  }
  if (local)
    distributeArguments();
}

void RunData::loadExpected() {
  if (options.expected.size() > program.results.size())
    failUsage("function '" + std::string(program.functionName()) + "' has " +
              std::to_string(program.results.size()) + " results, " +
              std::to_string(options.expected.size()) +
              " --expected_output are given");
  for (size_t i = 0; i != options.expected.size(); ++i) {
    const ArrayArgument &given = options.expected[i];
    const Tensor &tensor = program.results[i];
    expected.push_back(during(
        "--expected_output=" + given.spelling + " for " + nameOf("result", i),
        [&] {
          if (given.kind == ArrayArgument::File)
            return readArray(given.file, tensor.type, tensor.shape);
          if (given.kind == ArrayArgument::Text)
            return parseChecked(given.text, tensor);
          return readArray(given.file, tensor.type, given.text.shape);
        }));
    if (!shapeMatches(expected[i].shape, tensor.shape))
      failUsage("--expected_output=" + given.spelling + ": it is " +
                expected[i].typeString() + ", expected " + tensor.typeString());
  }
}

void RunData::prepareResults() {
  if (options.outputs.size() > program.results.size())
    failUsage("function '" + std::string(program.functionName()) + "' has " +
              std::to_string(program.results.size()) + " results, " +
              std::to_string(options.outputs.size()) + " --output are given");
  for (size_t i = 0; i != program.results.size(); ++i) {
    const Tensor &tensor = program.results[i];
    Shape shape = tensor.shape;
    for (size_t d = 0; d != shape.size(); ++d) {
      if (shape[d] >= 0)
        continue;
      std::optional<int64_t> told;
      if (d < tensor.extents.size())
        told = Program::evaluate(tensor.extents[d], shapes);
      if (told && *told >= 0) {
        shape[d] = *told;
      } else if (i < expected.size()) {
        shape[d] = expected[i].shape[d];
      } else {
        failUsage(nameOf("result", i) + " is " + tensor.typeString() +
                  ": the extent of dim " + std::to_string(d) +
                  " is not known before it runs; give --expected_output");
      }
    }
    if (i < expected.size() && expected[i].shape != shape)
      failUsage("--expected_output=" + options.expected[i].spelling +
                ": it is " + expected[i].typeString() + ", expected " +
                formatType(shape, tensor.type));
    if (processes.isFirst() && !sliced) {
      results.emplace_back(tensor.type, shape);
    } else {
      results.emplace_back();
      results.back().type = tensor.type;
      results.back().shape = shape;
    }
  }
  if (local) {
    prepareResultShards();
    distributeArguments();
  }
  prepareFiles();
}

void RunData::prepareResultShards() {
  for (size_t i = 0; i != results.size(); ++i) {
    const Tensor &tensor = program.results[i];
    Shards &shards = resultShards.emplace_back();
    for (int64_t rank = 0; rank != program.numRanks(); ++rank)
      if (sliced && tensor.inPlace >= 0)
        shards.emplace_back(); // the argument's
      else if ((processes.isFirst() && !sliced) || processes.holds(rank))
        shards.emplace_back(
            tensor.type, program.shardShape(true, i, results[i].shape, rank));
      else
        shards.emplace_back();
  }
}

void RunData::keepOnRanks() {
  if (local || options.device == "cuda-local" || options.device == "nccl")
    return;
  local = true;
  prepareResultShards();
  distributeArguments();
}

Array &RunData::resultShard(size_t i, int64_t rank) {
  int64_t inPlace = sliced ? program.results[i].inPlace : -1;
  return (inPlace < 0 ? resultShards[i]
                      : argumentShards[size_t(inPlace)])[size_t(rank)];
}

void RunData::prepareFiles() {
  bool isIndex = options.outputArchive &&
                 options.outputArchive->format == FileFormat::SafetensorsIndex;
  std::vector<SlicedArray> all, indexed;
  for (size_t i = 0; i != results.size(); ++i) {
    const Array &result = results[i];
    if (sliced && i < options.outputs.size() &&
        options.outputs[i].kind == ArrayArgument::File)
      all.push_back({options.outputs[i].file, i, result.type, result.shape});
    if (!options.outputArchive || !(sliced || isIndex))
      continue;
    ArrayRef file = *options.outputArchive;
    file.member = program.results[i].name;
    (isIndex ? indexed : all).push_back({file, i, result.type, result.shape});
  }
  std::pair<std::string, std::string> index;
  if (isIndex)
    index = {options.outputArchive->path,
             indexParts(indexed, options.partBytes)};
  all.insert(all.end(), indexed.begin(), indexed.end());
  if (!all.empty())
    files = std::make_unique<SlicedFiles>(all, std::move(index));
}

void RunData::fillFiles() {
  if (!sliced && !processes.isFirst())
    return;
  files->open();
  Progress progress("writing", results.size(),
                    Progress::terminal(processes.isFirst()));
  for (size_t i = 0; i != results.size(); ++i) {
    progress.show(i);
    if (sliced)
      files->write(program, i, processes.getNumber(),
                   resultShard(i, processes.getNumber()));
    else
      files->writeWhole(i, results[i]);
  }
  files->close();
}

/// Views by rank, then by argument or result, of the ranks of this process.
std::vector<shardir_buffer>
RunData::viewsByRank(std::vector<Shards> &shards) const {
  std::vector<shardir_buffer> views;
  for (int64_t rank = 0; rank != program.numRanks(); ++rank)
    for (Shards &ofOne : shards)
      if (processes.holds(rank))
        views.push_back(ofOne[size_t(rank)].view());
  return views;
}

void RunData::distributeArguments() {
  for (size_t i = 0; i != arguments.size(); ++i) {
    if (!argumentShards[i].empty())
      continue;
    std::vector<shardir_buffer> shards;
    for (int64_t rank = 0; rank != program.numRanks(); ++rank) {
      bool here = processes.holds(rank);
      argumentShards[i].push_back(
          here ? Array(program.arguments[i].type,
                       program.shardShape(false, i, shapes[i], rank))
               : Array());
      shards.push_back(argumentShards[i].back().view());
      if (!here)
        shards.back().data = nullptr; // to be left out
    }
    shardir_buffer whole = arguments[i].view();
    check(shardir_distribute_argument(program.get(), program.functionName(), i,
                                      &whole, shards.data()));
    if (sliced)
      arguments[i] = Array();
  }
}

std::vector<Array> &RunData::globalArguments() {
  if (argumentsAreGlobal)
    return arguments;
  for (size_t i = 0; i != arguments.size(); ++i) {
    if (!sources[i] || sources[i]->kind != ArrayArgument::Local)
      continue;
    arguments[i] = Array(program.arguments[i].type, shapes[i]);
    shardir_buffer whole = arguments[i].view();
    std::vector<shardir_buffer> shards = viewsOf(argumentShards[i]);
    check(shardir_collect_argument(program.get(), program.functionName(), i,
                                   shards.data(), &whole));
  }
  argumentsAreGlobal = true;
  return arguments;
}

void RunData::collectResults() {
  for (size_t i = 0; i != results.size(); ++i) {
    processes.gather(resultShards[i]);
    if (!processes.isFirst())
      continue;
    shardir_buffer whole = results[i].view();
    std::vector<shardir_buffer> shards = viewsOf(resultShards[i]);
    check(shardir_collect_result(program.get(), program.functionName(), i,
                                 shards.data(), &whole));
  }
}

/// Points into `options`.
static shardir_run_options runOptionsOf(const Options &options) {
  shardir_run_options result = {};
  result.device = options.device.c_str();
  result.timeout = options.timeout;
  result.reductions = options.reductions.c_str();
  result.check = options.check.c_str();
  return result;
}

void RunData::run(bool collect) {
  shardir_run_options runOptions = runOptionsOf(options);
  if (!local) {
    std::vector<shardir_buffer> in = viewsOf(arguments), out = viewsOf(results);
    for (shardir_buffer &buffer : out)
      if (!processes.isFirst())
        buffer.data = nullptr; // whole results are process 0's
    check(shardir_run(program.get(), program.functionName(), in.data(),
                      in.size(), out.data(), out.size(), &runOptions));
    return;
  }
  std::vector<shardir_buffer> in = viewsByRank(argumentShards);
  std::vector<shardir_buffer> out = viewsByRank(resultShards);
  for (size_t k = 0; k != out.size(); ++k) {
    int64_t inPlace = program.results[k % results.size()].inPlace;
    if (inPlace < 0)
      continue;
    shardir_buffer &argument =
        in[k / results.size() * arguments.size() + size_t(inPlace)];
    if (sliced) {
      out[k] = argument;
      continue;
    }
    // The arguments stay, for another run and for the unsharded program.
    size_t bytes = shardir_element_size(argument.element_type);
    for (size_t d = 0; d != argument.rank; ++d)
      bytes *= size_t(argument.shape[d]);
    std::memcpy(out[k].data, argument.data, bytes);
    argument.data = out[k].data;
  }
  check(shardir_run_local(program.get(), program.functionName(), in.data(),
                          argumentShards.size(), out.data(),
                          resultShards.size(), &runOptions));
  if (collect && !sliced)
    collectResults();
}

std::vector<Array> RunData::runUnsharded() {
  shardir_run_options runOptions = runOptionsOf(options);
  runOptions.unsharded = 1;
  std::vector<Array> out;
  for (const Array &result : results)
    out.emplace_back(result.type, result.shape);
  std::vector<shardir_buffer> in = viewsOf(globalArguments()),
                              views = viewsOf(out);
  check(shardir_run(program.get(), program.functionName(), in.data(), in.size(),
                    views.data(), views.size(), &runOptions));
  return out;
}

void RunData::printResult(size_t i, size_t limit) const {
  printArray(results[i], limit, [](const std::string &piece) {
    std::fwrite(piece.data(), 1, piece.size(), stdout);
  });
  std::fputc('\n', stdout);
}

void RunData::writeResults() {
  // Archives are written at once, with all of their members.
  std::map<std::string, std::vector<std::pair<std::string, const Array *>>>
      files;
  std::map<std::string, FileFormat> formats;
  auto add = [&](const ArrayRef &ref, const Array &array) {
    files[ref.path].push_back({ref.member, &array});
    formats[ref.path] = ref.format;
  };
  for (size_t i = 0; i != options.outputs.size(); ++i) {
    const ArrayArgument &output = options.outputs[i];
    if (output.kind == ArrayArgument::Local) {
      for (size_t rank = 0; rank != resultShards[i].size(); ++rank)
        if (processes.holds(int64_t(rank)))
          add(output.fileOfRank(int64_t(rank)), resultShard(i, int64_t(rank)));
    } else if (!processes.isFirst() || sliced) {
      continue;
    } else if (output.kind == ArrayArgument::Stdout) {
      printResult(i, 0);
    } else {
      add(output.file, results[i]);
    }
  }
  if (options.outputArchive && processes.isFirst() && !sliced &&
      options.outputArchive->format != FileFormat::SafetensorsIndex)
    for (size_t i = 0; i != results.size(); ++i) {
      ArrayRef ref = *options.outputArchive;
      ref.member = program.results[i].name;
      add(ref, results[i]);
    }
  for (const auto &[path, arrays] : files)
    writeArrays(path, formats[path], arrays);
}
