//===- Search.cpp - Where partial sums are scattered to ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires what Search.h says. A plan slices the source by axes that it is
// replicated over, reduces into a placement M, and moves from M to the
// destination. r terms of a result of |M| elements cost (r-1)|M|, the move
// |dst| - |M and dst|.
//
// Guarantees the least of these where everything divides, without a search:
// M is cut by every free and every reduced axis, each at its place in the
// destination where that has it and the source does not split there, else at
// a place that neither splits. Why that is least: (r-1)|M| is smallest, for
// no placement is smaller than one cut by all axes. What moves of terms before
// the reduction and of results after it receive is at least |dst| - |src and
// dst| on every device, and a device on which source and destination are cut
// apart shares nothing, so that M costs no more than that. Where they share
// on every device, M shares as much as a placement of its size can without
// moving src's own axes first, and moving one costs at least half a source
// shard, which is as much as M can come to share by it.
//
// Uneven sizes are searched: axes are added one after another, to any dim, and
// the states with the fewest bytes, counted exactly, are kept.
//
//===----------------------------------------------------------------------===//

#include "Search.h"
#include "ShardIR/Placement/Terms.h"

using namespace shardir;
using namespace shardir::detail;

/// States that go on to the next axis, for few axes and for many.
static constexpr size_t kWideBeam = 24, kNarrowBeam = 4;
/// Up to this many atoms, axes are also cut into prime factors.
static constexpr size_t kMaxPrimeAtoms = 6;

/// Multiplies a table by another one; the first of all are copied.
static void multiply(std::vector<int64_t> &product,
                     const std::vector<int64_t> &table, bool isFirst) {
  if (isFirst) {
    product = table;
    return;
  }
  for (size_t p = 0; p < product.size(); ++p)
    product[p] = mulSaturated(product[p], table[p]);
}

ReduceSearch::ReduceSearch(const Placement &src, const Placement &dst,
                           const Mesh &mesh, const std::vector<int64_t> &shape,
                           ShardSizes &shardSizes, std::vector<Atom> parts)
    : src(src), dst(dst), mesh(mesh), shape(shape), shardSizes(shardSizes),
      atoms(primeAtoms(parts, mesh)), wanted(shardSizes.sampleSize(), 1),
      held(wanted), kept(wanted), children(shape.size()) {
  for (size_t d = 0; d < shape.size(); ++d) {
    srcOptions.push_back(shardSizes.option(d, src.dims[d]));
    dstOptions.push_back(shardSizes.option(d, dst.dims[d]));
  }
  for (size_t d = 0; d < shape.size(); ++d)
    multiply(wanted, shardSizes.extents(d, dstOptions[d]), d == 0);
}

std::vector<ReduceSearch::Atom>
ReduceSearch::primeAtoms(const std::vector<Atom> &atoms, const Mesh &mesh) {
  std::vector<Atom> primes;
  for (const Atom &atom : atoms) {
    int64_t done = 1;
    for (int64_t p = 2; done < atom.size;) {
      int64_t rest = atom.size / done;
      if (rest % p != 0) {
        // Beyond the root of what is left, that is a prime itself.
        p = p < rest / p ? p + 1 : rest;
        continue;
      }
      primes.push_back({subAxis(atom.axis, done, p, mesh), p, atom.isReduced});
      if (primes.size() > kMaxPrimeAtoms)
        return atoms;
      done *= p;
    }
  }
  return primes;
}

/// True if `axis` consists of atoms alone.
bool ReduceSearch::isFree(const AxisRef &axis) const {
  int64_t covered = 1;
  for (const Atom &atom : atoms) {
    if (isFactorOf(axis, atom.axis, mesh))
      return true;
    if (isFactorOf(atom.axis, axis, mesh))
      covered = mulSaturated(covered, atom.size);
  }
  return covered == axisSize(mesh, axis);
}

//===----------------------------------------------------------------------===//
// Where everything divides
//===----------------------------------------------------------------------===//

/// The placement of the proof above; false where something does not divide, an
/// axis finds no room, or source and destination cut across each other.
bool ReduceSearch::placeByDigits(State &state) {
  std::vector<std::vector<Digit>> dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    auto digits = commonDigits(src, dst, mesh, shape[d], d);
    if (!digits)
      return false;
    std::vector<Digit> &dim = dims.emplace_back();
    for (const CommonDigit &digit : *digits)
      dim.push_back({digit.extent, digit.a, digit.b, digit.a});
  }
  bool apart = false;
  std::vector<AxisRef> placed;
  for (std::vector<Digit> &digits : dims)
    for (Digit &digit : digits) {
      apart |= digit.src && digit.dst && *digit.src != *digit.dst;
      if (!digit.src && digit.dst && isFree(*digit.dst)) {
        digit.chosen = digit.dst;
        placed.push_back(*digit.dst);
      }
    }
  // Cut across each other, one axis may hold another's place in part.
  auto overlaps = [&](const AxisRef &axis) {
    for (const AxisRef &other : placed)
      if (overlap(axis, other, mesh))
        return true;
    return false;
  };
  for (const Atom &atom : atoms) {
    if (overlaps(atom.axis)) {
      bool inside = false;
      for (const AxisRef &other : placed)
        inside |= isFactorOf(atom.axis, other, mesh);
      if (inside)
        continue;
      // Only parts of the atom are placed; the rest is between them.
      return false;
    }
    bool found = false;
    for (bool whole : {true, false}) {
      // Source and destination lie apart anyway: any place will do.
      if (!whole && !apart)
        break;
      for (std::vector<Digit> &digits : dims) {
        for (size_t i = 0; i < digits.size() && !found; ++i) {
          if (digits[i].chosen || (whole && digits[i].dst) ||
              digits[i].radix % atom.size != 0)
            continue;
          Digit rest = digits[i];
          rest.radix /= atom.size;
          if (rest.dst && rest.radix != 1)
            rest.dst = subAxis(*rest.dst, atom.size, rest.radix, mesh);
          digits[i].radix = atom.size;
          digits[i].chosen = atom.axis;
          if (rest.radix != 1)
            digits.insert(digits.begin() + static_cast<long>(i) + 1, rest);
          found = true;
        }
        if (found)
          break;
      }
      if (found)
        break;
    }
    if (!found)
      return false;
  }
  state.options.clear();
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<Split> splits;
    for (const Digit &digit : dims[d])
      splits.push_back(digit.chosen ? Split::byAxis(*digit.chosen)
                                    : Split::byFactor(digit.radix));
    std::optional<int> option = accept(d, splits);
    if (!option)
      return false;
    state.options.push_back(*option);
  }
  state.used = (uint64_t{1} << atoms.size()) - 1;
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// The number of a placement of dim `d` whose shards lie within the source's.
std::optional<int> ReduceSearch::accept(size_t d,
                                        const std::vector<Split> &splits) {
  Placement alone;
  alone.dims.emplace_back().splits = splits;
  if (verifyPlacement(alone, mesh, {shape[d]}))
    return std::nullopt;
  int option = shardSizes.option(d, normalDim(alone.dims[0], mesh, shape[d]));
  if (!shardSizes.contains(d, srcOptions[d], option))
    return std::nullopt;
  return option;
}

/// The placements that cut `option` once more, by an atom: after its splits,
/// or in place of a factor that stays on the device, where the destination
/// has a cut.
const std::vector<int> &ReduceSearch::extend(size_t d, int option,
                                             size_t atom) {
  uint64_t key = static_cast<uint64_t>(option) * 64 + atom;
  auto [entry, isNew] = children[d].try_emplace(key);
  std::vector<int> &result = entry->second;
  if (!isNew)
    return result;
  const std::vector<Split> splits = shardSizes.dimOf(d, option).splits;
  Split axis = Split::byAxis(atoms[atom].axis);
  auto add = [&](const std::vector<Split> &candidate) {
    std::optional<int> found = accept(d, candidate);
    if (found &&
        std::find(result.begin(), result.end(), *found) == result.end())
      result.push_back(*found);
  };
  // Where the destination's cuts are, as products of all factors before.
  std::vector<int64_t> cuts = {1};
  for (const Split &split : dst.dims[d].splits)
    cuts.push_back(mulSaturated(cuts.back(), split.isAxis()
                                                 ? axisSize(mesh, *split.axis)
                                                 : split.factor));
  int64_t before = 1;
  for (size_t i = 0; i <= splits.size(); ++i) {
    bool isTail = i == splits.size();
    if (!isTail && splits[i].isAxis()) {
      before = mulSaturated(before, axisSize(mesh, *splits[i].axis));
      continue;
    }
    int64_t room = isTail ? shape[d] / before : splits[i].factor;
    std::vector<int64_t> firsts = {1};
    for (int64_t cut : cuts) {
      if (cut % before == 0)
        firsts.push_back(cut / before);
      if (cut % mulSaturated(before, atoms[atom].size) == 0)
        firsts.push_back(cut / before / atoms[atom].size);
    }
    for (int64_t first : firsts) {
      int64_t taken = mulSaturated(first, atoms[atom].size);
      if ((first != 1 || !isTail) && (taken > room || room % taken != 0))
        continue;
      std::vector<Split> candidate(splits.begin(),
                                   splits.begin() + static_cast<long>(i));
      if (first != 1)
        candidate.push_back(Split::byFactor(first));
      candidate.push_back(axis);
      if (!isTail) {
        candidate.push_back(Split::byFactor(room / taken));
        candidate.insert(candidate.end(),
                         splits.begin() + static_cast<long>(i) + 1,
                         splits.end());
      }
      add(candidate);
    }
    if (!isTail)
      before = mulSaturated(before, splits[i].factor);
  }
  return result;
}

/// Fills `held` with the elements of each device's shard.
void ReduceSearch::countHeld(const State &state) {
  for (size_t d = 0; d < shape.size(); ++d)
    multiply(held, shardSizes.extents(d, state.options[d]), d == 0);
}

/// Adds the reduce-scatter over `atom` that leads to `state`.
void ReduceSearch::spend(State &state, size_t atom) {
  if (!atoms[atom].isReduced || state.spent.empty())
    return;
  countHeld(state);
  int64_t others = atoms[atom].size - 1;
  for (size_t p = 0; p < held.size(); ++p) {
    int64_t own = mulSaturated(others, held[p]);
    state.spent[p] =
        own > INT64_MAX - state.spent[p] ? INT64_MAX : state.spent[p] + own;
  }
}

/// Counts what the device that receives most receives: in reduce-scatters over
/// the reduced atoms that are used, in one or each apart, an all-reduce over
/// the others, and the move.
void ReduceSearch::evaluate(State &state) {
  int64_t scattered = 1, whole = 1;
  for (size_t i = 0; i < atoms.size(); ++i)
    if (atoms[i].isReduced) {
      int64_t &terms = state.used >> i & 1 ? scattered : whole;
      terms = mulSaturated(terms, atoms[i].size);
    }
  countHeld(state);
  bool moves = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto &both = shardSizes.shared(d, state.options[d], dstOptions[d]);
    moves |= both != shardSizes.extents(d, dstOptions[d]);
    multiply(kept, both, d == 0);
  }
  auto bounded = [](int64_t count) { return std::min(count, INT64_MAX / 4); };
  int64_t mostAtOnce = 0, mostApart = 0, mostHeld = 0;
  for (size_t p = 0; p < held.size(); ++p) {
    int64_t own = held[p], rest = (toTargets ? own : wanted[p]) - kept[p];
    mostHeld = std::max(mostHeld, own);
    if (whole != 1)
      rest += bounded(mulSaturated(2 * (whole - 1), ceilDiv(own, whole)));
    mostAtOnce =
        std::max(mostAtOnce, rest + bounded(mulSaturated(scattered - 1, own)));
    if (!state.spent.empty())
      mostApart = std::max(mostApart, rest + bounded(state.spent[p]));
  }
  if (toTargets) {
    state.weight = bounded(mostAtOnce) + (countsHeld ? bounded(mostHeld) : 0);
    state.elements = mostHeld;
    return;
  }
  state.elements =
      state.spent.empty() ? mostAtOnce : std::min(mostAtOnce, mostApart);
  state.steps = (scattered != 1) + (whole != 1) + moves;
  state.weight =
      bounded(state.elements) +
      bounded(mulSaturated(state.steps + (whole != 1), stepElements));
}

std::vector<ReduceSearch::Target> ReduceSearch::run(size_t limit,
                                                    bool searchAll) {
  State start;
  start.options = srcOptions;
  // One reduce-scatter, at once or apart, receives least of its last shards.
  bool areApart = std::count_if(atoms.begin(), atoms.end(),
                                [](const Atom &a) { return a.isReduced; }) > 1;
  if (areApart)
    start.spent.assign(shardSizes.sampleSize(), 0);
  evaluate(start);
  std::vector<State> best = {start};
  State byDigits;
  proved = atoms.size() < 64 && placeByDigits(byDigits);
  if (proved) {
    evaluate(byDigits);
    best.push_back(byDigits);
  }
  size_t beam = shardSizes.numDevices() <= 32 ? kWideBeam : kNarrowBeam;
  std::vector<State> frontier = {start};
  for (size_t level = 0; (!proved || searchAll) && level < atoms.size();
       ++level) {
    std::vector<State> next;
    for (const State &state : frontier)
      for (size_t atom = 0; atom < atoms.size(); ++atom) {
        if (state.used >> atom & 1)
          continue;
        for (size_t d = 0; d < shape.size(); ++d)
          for (int option : extend(d, state.options[d], atom)) {
            State child = state;
            child.options[d] = option;
            child.used |= uint64_t{1} << atom;
            auto same =
                std::find_if(next.begin(), next.end(), [&](const State &other) {
                  return other.used == child.used &&
                         other.options == child.options;
                });
            if (!areApart && same != next.end())
              continue;
            spend(child, atom);
            // One way there is as good as another where all that it costs on
            // the worst device is.
            evaluate(child);
            if (same == next.end())
              next.push_back(std::move(child));
            else if (child < *same)
              *same = std::move(child);
          }
      }
    std::sort(next.begin(), next.end());
    best.insert(best.end(), next.begin(),
                next.begin() + static_cast<long>(std::min(next.size(), limit)));
    if (next.size() > beam)
      next.resize(beam);
    frontier = std::move(next);
  }
  std::sort(best.begin(), best.end());
  std::vector<Target> targets;
  for (const State &state : best) {
    if (targets.size() == limit)
      break;
    Target target;
    for (size_t d = 0; d < shape.size(); ++d)
      target.dims.push_back(shardSizes.dimOf(d, state.options[d]));
    for (size_t i = 0; i < atoms.size(); ++i)
      target.used.push_back(state.used >> i & 1);
    target.elements = state.elements;
    target.steps = state.steps;
    targets.push_back(std::move(target));
  }
  return targets;
}
