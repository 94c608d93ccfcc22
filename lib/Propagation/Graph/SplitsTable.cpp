//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers for splits and placements. Requires axes of the mesh; guarantees that
// a number never changes its meaning.
//
//===----------------------------------------------------------------------===//

#include "SplitsTable.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace shardir;

uint64_t shardir::mixHash(uint64_t seed, uint64_t value) {
  uint64_t mixed = seed * 0x9e3779b97f4a7c15ull + value;
  mixed ^= mixed >> 32;
  mixed *= 0xd6e8feb86659fd93ull;
  mixed ^= mixed >> 29;
  return mixed;
}

uint64_t shardir::hashText(const std::string &text) {
  uint64_t hash = text.size();
  for (char c : text)
    hash = mixHash(hash, static_cast<unsigned char>(c));
  return hash;
}

SplitsTable::SplitsTable(const Mesh &mesh) : mesh(mesh) {
  entries.emplace_back();
  byHash[0].push_back(0);
}

int SplitsTable::atom(const AxisRef &axis) {
  for (auto [i, known] : llvm::enumerate(atoms))
    if (known == axis)
      return i;
  // More than 64 axes and sub-axes share bits: they are then kept apart more
  // than they would have to be.
  if (atoms.size() == 64)
    return hashText(toString(axis)) % 64;
  uint64_t bit = uint64_t(1) << atoms.size();
  atoms.push_back(axis);
  overlaps.push_back(bit);
  for (size_t i = 0; i + 1 < atoms.size(); ++i)
    if (overlap(atoms[i], axis, mesh)) {
      overlaps[i] |= bit;
      overlaps.back() |= uint64_t(1) << i;
    }
  return atoms.size() - 1;
}

SplitsId SplitsTable::get(const Splits &splits) {
  if (splits.empty())
    return 0;
  uint64_t hash = splits.size();
  for (const Split &split : splits)
    hash = split.isAxis()
               ? mixHash(mixHash(mixHash(hash, hashText(split.axis->name)),
                                 split.axis->preSize),
                         split.axis->size)
               : mixHash(hash, split.factor);
  std::vector<SplitsId> &known = byHash[hash];
  for (SplitsId id : known)
    if (entries[id].splits == splits)
      return id;
  Entry entry;
  entry.splits = splits;
  entry.hash = hash;
  bool hasInteger = false;
  for (const Split &split : splits)
    if (split.isAxis()) {
      entry.uses |= bitOf(*split.axis);
      entry.size *= axisSize(mesh, *split.axis);
      entry.isStrided |= hasInteger;
    } else {
      hasInteger = true;
    }
  entries.push_back(std::move(entry));
  known.push_back(entries.size() - 1);
  return entries.size() - 1;
}

uint64_t SplitsTable::blocks(SplitsId id) const {
  uint64_t bits = entries[id].uses, all = 0;
  for (; bits; bits &= bits - 1)
    all |= overlaps[__builtin_ctzll(bits)];
  return all;
}

bool SplitsTable::isPrefix(SplitsId prefix, SplitsId longer) const {
  if (prefix == 0 || prefix == longer)
    return true;
  const Splits &a = entries[prefix].splits, &b = entries[longer].splits;
  if (a.size() > b.size() || !std::equal(a.begin(), a.end() - 1, b.begin()))
    return false;
  const Split &last = a.back(), &same = b[a.size() - 1];
  if (last == same)
    return a.size() < b.size();
  // An axis begins with its major part.
  if (!last.isAxis() || !same.isAxis() || last.axis->name != same.axis->name ||
      last.axis->preSize != same.axis->preSize)
    return false;
  int64_t part = axisSize(mesh, *last.axis), whole = axisSize(mesh, *same.axis);
  return part < whole && whole % part == 0;
}

llvm::ArrayRef<SplitsId> SplitsTable::prefixes(SplitsId id) {
  if (id == 0 || !entries[id].prefixes.empty())
    return entries[id].prefixes;
  std::vector<SplitsId> found;
  Splits splits = entries[id].splits;
  for (size_t length = 1; length < splits.size(); ++length)
    if (splits[length - 1].isAxis())
      found.push_back(get(Splits(splits.begin(), splits.begin() + length)));
  if (found.empty() || found.back() != id)
    found.push_back(id);
  entries[id].prefixes = std::move(found);
  return entries[id].prefixes;
}

llvm::ArrayRef<SplitsId> SplitsTable::parts(SplitsId id, int64_t size) {
  auto [it, isNew] = cuts.try_emplace({id, size});
  if (!isNew)
    return it->second;
  std::vector<SplitsId> found;
  int64_t rest = size;
  for (SplitsId prefix : prefixes(id)) {
    const Split &last = splits(prefix).back();
    int64_t whole = last.isAxis() ? axisSize(mesh, *last.axis) : 1;
    int64_t part = rest > 0 ? std::gcd(rest, whole) : whole;
    if (part > 1 && part < whole) {
      Splits cut = splits(prefix);
      cut.back().axis->size = part;
      found.push_back(get(cut));
    }
    rest = rest > 0 && part == whole ? rest / whole : 0;
    found.push_back(prefix);
  }
  return cuts[{id, size}] = std::move(found);
}

SplitsId SplitsTable::normal(SplitsId id, int64_t extent) {
  if (id == 0)
    return 0;
  auto [it, isNew] = normals.try_emplace({id, extent}, 0);
  if (!isNew)
    return it->second;
  Placement one;
  one.dims.push_back({entries[id].splits, false, std::nullopt});
  SplitsId result = get(normalForm(one, mesh, {extent}).dims[0].splits);
  return normals[{id, extent}] = result;
}

std::vector<AxisRef> SplitsTable::axesOfBits(uint64_t bits) const {
  std::vector<AxisRef> axes;
  for (; bits; bits &= bits - 1)
    axes.push_back(atoms[__builtin_ctzll(bits)]);
  llvm::sort(axes, [&](const AxisRef &a, const AxisRef &b) {
    return std::make_tuple(mesh.axisIndex(a.name), a.preSize, a.size) <
           std::make_tuple(mesh.axisIndex(b.name), b.preSize, b.size);
  });
  return axes;
}

PlacementId SplitsTable::getPlacement(const Placement &placement) {
  auto [it, isNew] = placementIds.try_emplace(placement, placements.size());
  if (isNew)
    placements.push_back(placement);
  return it->second;
}
