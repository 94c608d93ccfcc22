//===- Program.cpp - Loads compiled programs ------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a program's shared object. Requires a path; guarantees that damaged
// files are refused before the dynamic loader sees them (it trusts its input,
// and a truncated file would end the process with SIGBUS), and that the symbols
// of this library can be found by programs even where it was itself loaded
// privately, as Python does.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "AmxTiles.h"
#include "Cuda/CudaDevice.h"
#include "RankContext.h"
#include "ShardIR/Runtime/Abi.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace shardir {
namespace runtime {
namespace {

using Ehdr = ElfW(Ehdr);
using Phdr = ElfW(Phdr);

/// Why the file cannot be a program, or null.
const char *checkObject(const char *path) {
  struct File {
    FILE *f;
    ~File() {
      if (f)
        std::fclose(f);
    }
  } file{std::fopen(path, "rb")};
  if (!file.f)
    return "cannot be read";
  struct stat st;
  if (fstat(fileno(file.f), &st) != 0 || !S_ISREG(st.st_mode))
    return "is not a regular file";
  auto size = uint64_t(st.st_size);
  Ehdr header;
  if (std::fread(&header, sizeof(header), 1, file.f) != 1 ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "is not a shared object";
  Ehdr own;
  bool known = false;
  if (FILE *self = std::fopen("/proc/self/exe", "rb")) {
    known = std::fread(&own, sizeof(own), 1, self) == 1;
    std::fclose(self);
  }
  if (header.e_type != ET_DYN ||
      header.e_ident[EI_CLASS] !=
          (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
      header.e_phentsize != sizeof(Phdr) ||
      (known && (header.e_machine != own.e_machine ||
                 header.e_ident[EI_DATA] != own.e_ident[EI_DATA])))
    return "is not a shared object for this machine";
  if (header.e_phoff > size ||
      uint64_t(header.e_phnum) * sizeof(Phdr) > size - header.e_phoff)
    return "is truncated";
  std::vector<Phdr> segments(header.e_phnum);
  if (std::fseek(file.f, long(header.e_phoff), SEEK_SET) != 0 ||
      std::fread(segments.data(), sizeof(Phdr), segments.size(), file.f) !=
          segments.size())
    return "is truncated";
  bool dynamic = false;
  for (const Phdr &s : segments) {
    if (s.p_type != PT_LOAD && s.p_type != PT_DYNAMIC)
      continue;
    if (s.p_offset > size || s.p_filesz > size - s.p_offset)
      return "is truncated";
    dynamic |= s.p_type == PT_DYNAMIC;
  }
  return dynamic ? nullptr : "is not a shared object";
}

/// Makes the symbols of this library visible to programs.
void publishRuntime() {
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&shardir_axis_index), &self) != 0 &&
      self.dli_fname)
    if (void *handle =
            dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD))
      dlclose(handle);
}

/// The metadata string, at most as long as its symbol says.
bool readMetadataSymbol(void *handle, std::string &json) {
  auto *data =
      static_cast<const char *>(dlsym(handle, "shardir_program_metadata"));
  if (!data)
    return false;
  Dl_info info;
  const ElfW(Sym) *symbol = nullptr;
  size_t limit = SIZE_MAX;
  if (dladdr1(data, &info,
              reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&symbol)),
              RTLD_DL_SYMENT) != 0 &&
      symbol && symbol->st_size > 0)
    limit = symbol->st_size;
  json.assign(data, strnlen(data, limit));
  return true;
}

} // namespace

Program::Program(Metadata m) : metadata(std::move(m)), routes(metadata) {
  entries.resize(metadata.functions.size());
}

Program::~Program() {
  // Memory on a GPU is freed in the device's scope; the host frees its own.
  std::unique_ptr<CudaScope> scope;
  for (const std::shared_ptr<ResourceSet> &set : idle)
    for (const std::unique_ptr<RankResources> &rank : *set)
      if (rank->gpu && !scope)
        scope = std::make_unique<CudaScope>(rank->gpu->device);
  idle.clear();
  scope.reset();
  onGpus.clear();
  if (handle)
    dlclose(handle);
}

std::shared_ptr<Program> Program::load(const std::string &path,
                                       shardir_status &status,
                                       std::string &error) {
  status = SHARDIR_BAD_PROGRAM;
  // With a slash in it, the loader does not search its library path.
  std::unique_ptr<char, decltype(&std::free)> resolved(
      realpath(path.c_str(), nullptr), &std::free);
  if (!resolved) {
    status = SHARDIR_INVALID_ARGUMENT;
    error = "cannot read program '" + path + "': " + std::strerror(errno);
    return nullptr;
  }
  if (const char *why = checkObject(resolved.get())) {
    error = "'" + path + "' is not a compiled program: it " + why;
    return nullptr;
  }
  publishRuntime();
  void *handle = dlopen(resolved.get(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    error = "cannot load program '" + path + "': " + (why ? why : "no reason");
    return nullptr;
  }
  std::unique_ptr<void, int (*)(void *)> closer(handle, &dlclose);
  if (dlsym(handle, "shardir_program_amx_tiles")) {
    std::string why = requestAmxTiles();
    if (!why.empty()) {
      error = "program '" + path +
              "' uses AMX's tile registers, which this machine refuses (" +
              why + "): compile it with target=avx512-bf16 or target=avx2";
      return nullptr;
    }
  }
  std::string json;
  if (!readMetadataSymbol(handle, json)) {
    error = "'" + path +
            "' is not a compiled program: it lacks shardir_program_metadata";
    return nullptr;
  }
  Metadata metadata;
  if (!parseMetadata(json, metadata, error)) {
    error = "program '" + path + "' has wrong metadata: " + error;
    return nullptr;
  }
  auto program = std::make_shared<Program>(std::move(metadata));
  program->name = path.substr(path.rfind('/') + 1);
  for (size_t i = 0; i < program->entries.size(); ++i) {
    const FunctionSpec &f = program->metadata.functions[i];
    auto find = [&](const std::string &symbol) {
      auto entry = reinterpret_cast<EntryFn>(dlsym(handle, symbol.c_str()));
      if (!entry && error.empty())
        error = "program '" + path + "' lacks symbol '" + symbol +
                "' of function @" + f.name;
      return entry;
    };
    program->entries[i].sharded = find(f.symbol);
    if (!f.unshardedSymbol.empty())
      program->entries[i].unsharded = find(f.unshardedSymbol);
  }
  if (!error.empty())
    return nullptr;
  program->handle = closer.release();
  status = SHARDIR_OK;
  return program;
}

std::shared_ptr<CudaProgram> Program::onDevice(CudaDevice &device,
                                               std::string &error) const {
  std::lock_guard<std::mutex> lock(gpuMutex);
  for (const std::shared_ptr<CudaProgram> &loaded : onGpus)
    if (&loaded->device == &device)
      return loaded;
  try {
    onGpus.push_back(
        std::make_shared<CudaProgram>(device, *metadata.gpu, handle));
    return onGpus.back();
  } catch (const cuda::Failure &failure) {
    error = failure.what();
    return nullptr;
  }
}

std::shared_ptr<ResourceSet> Program::takeResources(size_t ranks) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (size_t i = 0; i < idle.size(); ++i) {
    if (idle[i]->size() != ranks)
      continue;
    std::shared_ptr<ResourceSet> set = std::move(idle[i]);
    idle.erase(idle.begin() + std::ptrdiff_t(i));
    return set;
  }
  return nullptr;
}

void Program::keepResources(std::shared_ptr<ResourceSet> set) const {
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(std::move(set));
}

} // namespace runtime
} // namespace shardir
