//===- Runtime.cpp - Compiled programs for Python -------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module shardir._runtime: the runtime's C API over arrays of NumPy,
// PyTorch and JAX. It takes what DLPack gives without a copy where that is
// contiguous and on the host, and releases the interpreter's lock while a
// program runs. What users see is in the package; names here are its own
// business.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Errors.h"
#include "Processes.h"
#include "ShardIR/Runtime/ElementTypes.h"
#include "ShardIR/Runtime/Processes.h"
#include "Slices.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace shardir::python;

namespace {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

struct Library {
  explicit Library(const std::string &path) {
    check(shardir_program_load(path.c_str(), &handle));
  }
  ~Library() { shardir_program_free(handle); }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  shardir_program *handle = nullptr;
};

struct TensorSpec {
  shardir_element_type type;
  std::vector<int64_t> shape;
  std::string placement;
};

std::string textOf(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// How a call is made.
struct RunSettings {
  std::string device = "threads";
  double timeout = 60;
  int threadsPerRank = 0;
  std::string reductions = "engine";
};

/// One entry of a program, and how it is called.
class Entry {
public:
  /// `inPlace` has for each result the argument that it is written into, or -1;
  /// `argumentNames` are for messages.
  Entry(std::shared_ptr<Library> library, std::string name,
        RunSettings settings, std::vector<int> inPlace,
        const std::vector<std::string> &argumentNames)
      : library(std::move(library)), name(std::move(name)),
        settings(std::move(settings)), inPlace(std::move(inPlace)),
        processes(this->settings.device, this->settings.timeout) {
    for (const std::string &argument : argumentNames)
      quotedNames.push_back("'" + argument + "'");
    for (bool isResult : {false, true}) {
      size_t count;
      check((isResult ? shardir_function_num_results
                      : shardir_function_num_arguments)(
          program(), this->name.c_str(), &count));
      for (size_t i = 0; i < count; ++i) {
        shardir_tensor_info info;
        check((isResult ? shardir_function_result : shardir_function_argument)(
            program(), this->name.c_str(), i, &info));
        (isResult ? results : arguments)
            .push_back({info.element_type,
                        {info.shape, info.shape + info.rank},
                        info.placement});
      }
    }
  }

  /// Runs on whole arrays. `shapes` gives the results' where they are not
  /// known.
  nb::list run(nb::sequence given, nb::object shapes,
               const std::string &framework,
               const std::vector<bool> &isUnsigned, bool unsharded) {
    std::vector<Input> inputs;
    inputs.reserve(arguments.size());
    size_t i = 0;
    for (nb::handle object : given) {
      if (i < arguments.size())
        inputs.emplace_back(object, arguments[i].type, nameOf(i));
      ++i;
    }
    if (i != arguments.size())
      raise("UsageError", "'" + name + "' takes " +
                              std::to_string(arguments.size()) +
                              " arguments, not " + std::to_string(i));
    std::vector<shardir_buffer> in, out;
    for (i = 0; i < inputs.size(); ++i)
      in.push_back(inputs[i].view(arguments[i].type));
    std::vector<Block> blocks = allocate(shapes);
    for (const Block &block : blocks)
      out.push_back(block.view());
    // The unsharded version is this process' own.
    bool overProcesses = processes.areRanks() && !unsharded;
    if (overProcesses) {
      processes.start(program());
      std::vector<uint64_t> digests;
      for (const shardir_buffer &buffer : in)
        digests.push_back(digestOf(buffer));
      processes.compare(Call::Run, 0, digests, quotedNames);
    }
    shardir_run_options options = runOptions(unsharded);
    shardir_status status;
    {
      nb::gil_scoped_release release;
      status = shardir_run(program(), name.c_str(), in.data(), in.size(),
                           out.data(), out.size(), &options);
    }
    check(status);
    for (const Block &block : blocks)
      if (overProcesses)
        processes.broadcast(block.data.get(), block.bytes());
    nb::list list;
    for (i = 0; i < blocks.size(); ++i)
      list.append(std::move(blocks[i]).toArray(
          framework, i < isUnsigned.size() && isUnsigned[i] ? Sign::Unsigned
                                                            : Sign::Signed));
    return list;
  }

  /// Runs on shards that stay where they are; results are shards too, None for
  /// those that are written into an argument's.
  nb::list runShards(const std::vector<Shards *> &given, nb::object shapes) {
    if (given.size() != arguments.size())
      raise("UsageError",
            "'" + name + "' takes " + std::to_string(arguments.size()) +
                " arguments, not " + std::to_string(given.size()));
    std::vector<shardir_buffer> in, out;
    if (processes.areRanks()) {
      processes.start(program());
      std::vector<uint64_t> digests;
      for (const Shards *shards : given)
        digests.push_back(shards->digest);
      processes.compare(Call::RunShards, 0, digests, quotedNames);
      for (size_t i = 0; i < given.size(); ++i)
        if (given[i]->copy)
          processes.compareCopies(given[i]->copy->digest, given[i]->copy->first,
                                  quotedNames[i]);
    }
    size_t ranks = ranksHere().second;
    for (size_t k = 0; k < ranks; ++k)
      for (const Shards *shards : given)
        in.push_back(shards->blocks[k].view());
    std::vector<std::unique_ptr<Shards>> made(results.size());
    std::vector<const Shards *> targets;
    for (size_t i = 0; i < results.size(); ++i) {
      if (inPlace[i] >= 0) {
        targets.push_back(given[size_t(inPlace[i])]);
        continue;
      }
      made[i] = std::make_unique<Shards>();
      fillBlocks(*made[i], /*isResult=*/true, i, shapeOf(i, shapes));
      targets.push_back(made[i].get());
    }
    for (size_t k = 0; k < ranks; ++k)
      for (const Shards *shards : targets)
        out.push_back(shards->blocks[k].view());
    shardir_run_options options = runOptions(false);
    shardir_status status;
    {
      nb::gil_scoped_release release;
      status = shardir_run_local(program(), name.c_str(), in.data(),
                                 arguments.size(), out.data(), results.size(),
                                 &options);
    }
    if (status != SHARDIR_OK && processes.areRanks()) {
      keep(targets);
      keep({given.begin(), given.end()});
    }
    check(status);
    nb::list list;
    for (size_t i = 0; i < results.size(); ++i)
      list.append(
          made[i] ? nb::cast(made[i].release(), nb::rv_policy::take_ownership)
                  : nb::none());
    return list;
  }

  Shards *distribute(size_t i, nb::handle object, Shards *into) {
    processes.start(program());
    Input input(object, arguments.at(i).type, nameOf(i));
    std::unique_ptr<Shards> made;
    if (!into || into->shape != input.shape) {
      made = std::make_unique<Shards>();
      into = made.get();
      fillBlocks(*into, /*isResult=*/false, i, input.shape);
    }
    std::vector<shardir_buffer> views = viewsOf(*into);
    shardir_buffer whole = input.view(arguments[i].type);
    shardir_status status;
    {
      nb::gil_scoped_release release;
      if (processes.areRanks()) {
        status = shardir_read_argument(program(), name.c_str(), i, whole.shape,
                                       int64_t(processes.number()), &views[0],
                                       copyFromWhole, &whole);
        into->digest = digestOf(whole);
      } else {
        status = shardir_distribute_argument(program(), name.c_str(), i, &whole,
                                             views.data());
      }
      into->copy.reset();
    }
    check(status);
    return made.release();
  }

  /// This process' shard of argument i, of a tensor of shape `whole`, in the
  /// memory of `into` where shapes are the same. Process `first` is the first
  /// one that holds the same part.
  Shards *takeShard(size_t i, nb::handle object,
                    const std::vector<int64_t> &whole, size_t first,
                    Shards *into) {
    if (!processes.areRanks())
      raise("UsageError", nameOf(i) +
                              " is a shardir.Local, the shard of one "
                              "process, but device '" +
                              settings.device +
                              "' has all ranks in this one: pass the full "
                              "array");
    processes.start(program());
    size_t own = processes.number();
    Input input(object, arguments.at(i).type, nameOf(i));
    if (std::vector<int64_t> expected =
            shardShape(false, i, whole, int64_t(own));
        input.shape != expected)
      raise("UsageError", nameOf(i) + ": process " + std::to_string(own) +
                              " holds a shard of shape " + textOf(expected) +
                              " of the full shape " + textOf(whole) +
                              ", but its shardir.Local has shape " +
                              textOf(input.shape));
    shardir_buffer view = input.view(arguments[i].type);
    std::unique_ptr<Shards> made;
    if (!into || into->shape != whole) {
      made = std::make_unique<Shards>();
      into = made.get();
      fillBlocks(*into, /*isResult=*/false, i, whole);
    }
    std::memcpy(into->blocks[0].data.get(), view.data, into->blocks[0].bytes());
    int64_t rank = int64_t(whole.size());
    into->digest =
        digestOf({const_cast<int64_t *>(whole.data()), &rank, 1, SHARDIR_I64});
    into->copy = {digestOf(view), first};
    return made.release();
  }

  /// Whatever state is saved or loaded next, all processes do it.
  void begin(Call call) {
    processes.start(program());
    if (processes.areRanks())
      processes.compare(call, 0, {}, {});
  }

  /// This process' shards of argument i, out of an open file that has the whole
  /// tensor at `offset`. `digest` is equal in all processes that read one file.
  Shards *readShards(size_t i, const Slices &file, uint64_t digest) const {
    auto shards = std::make_unique<Shards>();
    fillBlocks(*shards, /*isResult=*/false, i, arguments.at(i).shape);
    shards->digest = digest;
    for (size_t k = 0; k < shards->blocks.size(); ++k)
      file.read(program(), name, i, shards->shape,
                int64_t(ranksHere().first + k), shards->blocks[k].view());
    return shards.release();
  }

  /// Writes this process' elements of result i, which `shards` have, into an
  /// open file that has the whole tensor at `offset`.
  void writeShards(size_t i, const Shards &shards, const Slices &file) const {
    for (size_t k = 0; k < shards.blocks.size(); ++k)
      file.write(program(), name, i, shards.shape,
                 int64_t(ranksHere().first + k), shards.blocks[k].view());
  }

  /// The whole array of shards; where ranks are processes in all of them, or in
  /// process 0 alone, and None in the others.
  nb::object collect(bool isResult, size_t i, const Shards &shards,
                     const std::string &framework, bool isUnsigned,
                     bool everywhere) {
    const TensorSpec &spec = (isResult ? results : arguments).at(i);
    Shards gathered;
    if (processes.areRanks())
      gather(isResult, i, shards, gathered);
    bool isFirst = !processes.areRanks() || processes.number() == 0;
    if (!isFirst && !everywhere)
      return nb::none();
    Block whole(spec.type, shards.shape);
    if (isFirst)
      collectHere(isResult, i, processes.areRanks() ? gathered : shards, whole);
    if (processes.areRanks() && everywhere)
      processes.broadcast(whole.data.get(), whole.bytes());
    return std::move(whole).toArray(framework,
                                    isUnsigned ? Sign::Unsigned : Sign::Signed);
  }

  std::vector<int64_t> shardShape(bool isResult, size_t i,
                                  const std::vector<int64_t> &whole,
                                  int64_t rank) const {
    std::vector<int64_t> shape(whole.size());
    check(
        (isResult ? shardir_result_shard_shape : shardir_argument_shard_shape)(
            program(), name.c_str(), i, whole.data(), rank, shape.data()));
    return shape;
  }

  nb::dict measurement() const {
    shardir_measurement m;
    check(shardir_last_measurement(program(), &m));
    nb::dict dict;
    dict["bytes_per_device"] = m.bytes_per_device;
    dict["peak_bytes_per_device"] = m.peak_bytes_per_device;
    dict["ms"] = m.milliseconds;
    return dict;
  }

  size_t numRanks() const {
    return size_t(shardir_program_num_ranks(program()));
  }

  nb::list describeAll(bool isResult) const {
    nb::list list;
    for (const TensorSpec &spec : isResult ? results : arguments)
      list.append(nb::make_tuple(shardir::infoOf(spec.type)->name,
                                 nb::tuple(nb::cast(spec.shape)),
                                 spec.placement));
    return list;
  }

  const std::string &getName() const { return name; }

private:
  /// Puts the shards of all processes into `all`, of process 0.
  void gather(bool isResult, size_t i, const Shards &own, Shards &all) {
    processes.compare(isResult ? Call::CollectResult : Call::CollectArgument, i,
                      {}, {});
    std::vector<void *> blocks;
    std::vector<size_t> sizes;
    all.shape = own.shape;
    const Block &block = own.blocks[0];
    size_t ranks = processes.number() == 0 ? numRanks() : 0;
    for (size_t r = 0; r < ranks; ++r) {
      all.blocks.push_back(
          r == 0 ? block
                 : Block(block.type,
                         shardShape(isResult, i, own.shape, int64_t(r))));
      blocks.push_back(all.blocks.back().data.get());
      sizes.push_back(all.blocks.back().bytes());
    }
    processes.gather(block.data.get(), block.bytes(), blocks, sizes);
  }

  void collectHere(bool isResult, size_t i, const Shards &shards,
                   const Block &whole) {
    shardir_buffer target = whole.view();
    std::vector<shardir_buffer> views = viewsOf(shards);
    shardir_status status;
    {
      nb::gil_scoped_release release;
      status = (isResult ? shardir_collect_result : shardir_collect_argument)(
          program(), name.c_str(), i, views.data(), &target);
    }
    check(status);
  }

  shardir_program *program() const { return library->handle; }
  std::string nameOf(size_t i) const {
    return "argument " + std::to_string(i) + " of '" + name + "'";
  }

  shardir_run_options runOptions(bool unsharded) const {
    return {settings.device.c_str(),
            settings.timeout,
            unsharded,
            settings.threadsPerRank,
            settings.reductions.c_str(),
            /*check=*/nullptr};
  }

  /// The first rank whose shards this process holds, and how many.
  std::pair<size_t, size_t> ranksHere() const {
    if (processes.areRanks())
      return {processes.number(), 1};
    return {0, numRanks()};
  }

  static int copyFromWhole(void *context, void *data, int64_t first,
                           int64_t count) {
    auto &whole = *static_cast<const shardir_buffer *>(context);
    size_t size = shardir_element_size(whole.element_type);
    std::memcpy(data,
                static_cast<const char *>(whole.data) + size_t(first) * size,
                size_t(count) * size);
    return 0;
  }

  std::vector<int64_t> shapeOf(size_t i, nb::handle shapes) const {
    return shapes.is_none() ? results[i].shape
                            : nb::cast<std::vector<int64_t>>(shapes[i]);
  }

  std::vector<Block> allocate(nb::handle shapes) const {
    std::vector<Block> blocks;
    blocks.reserve(results.size());
    for (size_t i = 0; i < results.size(); ++i)
      blocks.emplace_back(results[i].type, shapeOf(i, shapes));
    return blocks;
  }

  void fillBlocks(Shards &shards, bool isResult, size_t i,
                  const std::vector<int64_t> &whole) const {
    shards.shape = whole;
    const TensorSpec &spec = (isResult ? results : arguments)[i];
    auto &[knownFor, shapes] = shardShapes[{isResult, i}];
    if (shapes.empty() || knownFor != whole) {
      shapes.clear();
      knownFor = whole;
      auto [first, count] = ranksHere();
      for (size_t k = 0; k < count; ++k)
        shapes.push_back(shardShape(isResult, i, whole, int64_t(first + k)));
    }
    for (const Shape &shape : shapes)
      shards.blocks.emplace_back(spec.type, shape);
  }

  static std::vector<shardir_buffer> viewsOf(const Shards &shards) {
    std::vector<shardir_buffer> views;
    for (const Block &block : shards.blocks)
      views.push_back(block.view());
    return views;
  }

  std::shared_ptr<Library> library;
  std::string name;
  RunSettings settings;
  std::vector<int> inPlace;
  Processes processes;
  std::vector<std::string> quotedNames; ///< of the arguments
  std::vector<TensorSpec> arguments, results;
  using Shape = std::vector<int64_t>;
  /// By result or argument: the last shape of the whole tensor, and those of
  /// its shards in this process.
  mutable std::map<std::pair<bool, size_t>,
                   std::pair<Shape, std::vector<Shape>>>
      shardShapes;
};

} // namespace

NB_MODULE(_runtime, m) {
  m.doc() = "Compiled programs; see the package shardir.";
  m.def("version", &shardir_version);
  m.def("gpu_architecture", [] { return shardir_gpu_architecture(); });
  m.def("launched_as", &shardir_processes_launched_as);
  m.def("agree", &shardir::python::agree, "device"_a, "timeout"_a, "status"_a,
        "message"_a);
  nb::class_<Library>(m, "Library")
      .def(nb::init<const std::string &>())
      .def_prop_ro(
          "num_ranks",
          [](const Library &l) { return shardir_program_num_ranks(l.handle); })
      .def_prop_ro("metadata", [](const Library &l) {
        return std::string(shardir_program_metadata_json(l.handle));
      });
  nb::class_<Shards>(m, "Shards")
      .def_ro("shape", &Shards::shape)
      .def_prop_ro("nbytes", &Shards::bytes)
      .def("copy", &Shards::clone, nb::rv_policy::take_ownership);
  nb::class_<Entry>(m, "Entry")
      .def("__init__",
           [](Entry *self, nb::object library, const std::string &name,
              const std::string &device, double timeout, int threads,
              const std::string &reductions, std::vector<int> inPlace,
              const std::vector<std::string> &names) {
             // The object keeps the library alive through Python.
             auto *raw = nb::cast<Library *>(library);
             std::shared_ptr<Library> shared(
                 raw, [keep = std::move(library)](Library *) mutable {
                   nb::gil_scoped_acquire acquire;
                   keep.reset();
                 });
             new (self) Entry(std::move(shared), name,
                              {device, timeout, threads, reductions},
                              std::move(inPlace), names);
           })
      .def_prop_ro("name", &Entry::getName)
      .def_prop_ro("arguments",
                   [](const Entry &e) { return e.describeAll(false); })
      .def_prop_ro("results",
                   [](const Entry &e) { return e.describeAll(true); })
      .def("run", &Entry::run, "arguments"_a, "shapes"_a.none(), "framework"_a,
           "unsigned"_a, "unsharded"_a = false)
      .def("run_shards", &Entry::runShards, "arguments"_a, "shapes"_a.none())
      .def("distribute", &Entry::distribute, "i"_a, "array"_a,
           "into"_a.none() = nb::none(), nb::rv_policy::take_ownership)
      .def("take_shard", &Entry::takeShard, "i"_a, "array"_a, "shape"_a,
           "first"_a, "into"_a.none() = nb::none(),
           nb::rv_policy::take_ownership)
      .def("collect", &Entry::collect, "is_result"_a, "i"_a, "shards"_a,
           "framework"_a, "unsigned"_a = false, "everywhere"_a = true)
      .def("begin_save", [](Entry &e) { e.begin(Call::Save); })
      .def("begin_load", [](Entry &e) { e.begin(Call::Load); })
      .def(
          "read_shards",
          [](const Entry &e, size_t i, int fd, uint64_t offset,
             const std::string &path, uint64_t digest) {
            return e.readShards(i, {fd, offset, path}, digest);
          },
          "i"_a, "fd"_a, "offset"_a, "path"_a, "digest"_a,
          nb::rv_policy::take_ownership)
      .def(
          "write_shards",
          [](const Entry &e, size_t i, const Shards &shards, int fd,
             uint64_t offset, const std::string &path) {
            e.writeShards(i, shards, {fd, offset, path});
          },
          "i"_a, "shards"_a, "fd"_a, "offset"_a, "path"_a)
      .def("shard_shape", &Entry::shardShape)
      .def("measurement", &Entry::measurement);
}
