//===- SortTerms.cpp - Scalars of loops that sort -------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms of which equal ones are one object, and what they say of an order.
// Orders are strict comparisons of keys, one after the other where keys are
// equal: of others a network with fewer steps might make something else. What a
// comparison of one key is follows from its value for keys that are less, equal
// and greater, and NaN on either side or both.
//
//===----------------------------------------------------------------------===//

#include "SortNetwork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace shardir;

const SortTerm *SortTerms::get(SortTerm term) {
  Attribute attributes =
      term.op ? term.op->getAttrDictionary() : term.attribute;
  void *name = term.op
                   ? const_cast<void *>(term.op->getName().getAsOpaquePointer())
                   : nullptr;
  Key key(term.kind, const_cast<void *>(term.type.getAsOpaquePointer()),
          const_cast<void *>(attributes.getAsOpaquePointer()), term.offset,
          term.tensor, name, nullptr, term.operands);
  const SortTerm *&found = known[key];
  if (!found) {
    terms.push_back(std::move(term));
    found = &terms.back();
  }
  return found;
}

const SortTerm *SortTerms::shift(const SortTerm *term, int64_t by) {
  if (term->kind == SortTerm::Constant)
    return term;
  if (term->kind == SortTerm::Place || term->kind == SortTerm::Step)
    return nullptr;
  SortTerm moved = *term;
  if (term->kind == SortTerm::Element)
    moved.offset += by;
  for (const SortTerm *&operand : moved.operands)
    if (operand = shift(operand, by); !operand)
      return nullptr;
  return get(std::move(moved));
}

/// Whether all elements in `term` are at `offset`.
static bool isAt(const SortTerm *term, int64_t offset) {
  if (term->kind == SortTerm::Element)
    return term->offset == offset;
  return (term->kind == SortTerm::Constant || term->kind == SortTerm::Result) &&
         llvm::all_of(term->operands, [&](const SortTerm *operand) {
           return isAt(operand, offset);
         });
}

namespace {
/// How the key of the element at offset 1 lies to the one at offset 0.
enum KeyCase { Less, Equal, Greater, FirstNaN, SecondNaN, BothNaN };

/// What a truth value that compares one key of two elements says in each case.
class KeyTable {
public:
  KeyTable(const SortTerm *term, SortTerms &terms) : terms(terms) {
    isKnown = true;
    for (KeyCase c : {Less, Equal, Greater, FirstNaN, SecondNaN, BothNaN})
      says[c] = value(term, c);
    isKnown &= key != nullptr;
  }
  const SortTerm *keyOrNull() const { return isKnown ? key : nullptr; }
  bool isFloat() const { return isa<FloatType>(key->type); }
  /// Whether this is a strict weak order of keys that are numbers, and no order
  /// of NaN and others that is none.
  bool isStrict() const {
    return says[Less] != says[Greater] && !says[Equal] &&
           (!isFloat() ||
            (!says[BothNaN] && !(says[FirstNaN] && says[SecondNaN])));
  }
  /// Of a strict one: NaN belongs neither before nor behind anything.
  bool leavesNaN() const {
    return isFloat() && !says[FirstNaN] && !says[SecondNaN];
  }
  bool isEquality(bool ofNaN) const {
    return says[Equal] && !says[Less] && !says[Greater] &&
           (!isFloat() ||
            (!says[FirstNaN] && !says[SecondNaN] && (ofNaN || !says[BothNaN])));
  }

private:
  bool value(const SortTerm *term, KeyCase c);
  bool compared(const SortTerm *term, KeyCase c);

  SortTerms &terms;
  const SortTerm *key = nullptr;
  std::optional<bool> isSigned;
  bool isKnown, says[6];
};
} // namespace

bool KeyTable::value(const SortTerm *term, KeyCase c) {
  auto constant = dyn_cast_or_null<IntegerAttr>(term->attribute);
  if (term->kind == SortTerm::Constant && constant)
    return !constant.getValue().isZero();
  if (term->kind == SortTerm::Result) {
    if (isa<arith::CmpIOp, arith::CmpFOp>(term->op))
      return compared(term, c);
    // All of them, so that it is known of which key they are.
    SmallVector<bool> operands;
    for (const SortTerm *operand : term->operands)
      operands.push_back(value(operand, c));
    if (isa<arith::AndIOp>(term->op))
      return operands[0] && operands[1];
    if (isa<arith::OrIOp>(term->op))
      return operands[0] || operands[1];
    if (isa<arith::XOrIOp>(term->op))
      return operands[0] != operands[1];
    if (isa<arith::SelectOp>(term->op))
      return operands[operands[0] ? 1 : 2];
  }
  isKnown = false;
  return false;
}

bool KeyTable::compared(const SortTerm *term, KeyCase c) {
  // Keys that lie so: 0, 1 or NaN.
  bool isNaN[2] = {c == FirstNaN || c == BothNaN,
                   c == SecondNaN || c == BothNaN};
  int64_t numbers[2] = {c == Greater, c == Less};
  unsigned sides[2];
  for (unsigned i : {0, 1}) {
    const SortTerm *side = term->operands[i];
    sides[i] = isAt(side, 1) ? 0 : 1;
    const SortTerm *first = sides[i] == 0 ? side : terms.shift(side, 1);
    if (!first || !isAt(first, 1) || (key && key != first))
      return isKnown = false;
    key = first;
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(term->op)) {
    auto value = [&](unsigned side) {
      return isNaN[side] ? APFloat::getNaN(APFloat::IEEEsingle())
                         : APFloat(float(numbers[side]));
    };
    return arith::applyCmpPredicate(compare.getPredicate(), value(sides[0]),
                                    value(sides[1]));
  }
  auto predicate = cast<arith::CmpIOp>(term->op).getPredicate();
  using P = arith::CmpIPredicate;
  if (predicate != P::eq && predicate != P::ne) {
    bool ofSigned = predicate < P::ult;
    isKnown &= isSigned.value_or(ofSigned) == ofSigned;
    isSigned = ofSigned;
  }
  return arith::applyCmpPredicate(predicate, APInt(8, numbers[sides[0]]),
                                  APInt(8, numbers[sides[1]]));
}

std::vector<SortKey> SortTerms::keysOf(const SortTerm *term) {
  auto keyOf = [](const KeyTable &table, const SortTerm *less,
                  const SortTerm *equal) {
    return SortKey{less, equal,
                   table.leavesNaN() ? table.keyOrNull() : nullptr};
  };
  KeyTable only(term, *this);
  if (only.keyOrNull())
    return only.isStrict() ? std::vector{keyOf(only, term, nullptr)}
                           : std::vector<SortKey>();
  // The first key decides, or is equal and the others do.
  if (term->kind != SortTerm::Result || !isa<arith::OrIOp>(term->op))
    return {};
  for (unsigned i : {0, 1}) {
    const SortTerm *less = term->operands[i], *rest = term->operands[1 - i];
    KeyTable order(less, *this);
    if (!order.keyOrNull() || !order.isStrict() ||
        rest->kind != SortTerm::Result || !isa<arith::AndIOp>(rest->op))
      continue;
    for (unsigned j : {0, 1}) {
      KeyTable equality(rest->operands[j], *this);
      if (!equality.keyOrNull() || equality.keyOrNull() != order.keyOrNull() ||
          !equality.isEquality(/*ofNaN=*/!order.leavesNaN()))
        continue;
      std::vector<SortKey> keys = keysOf(rest->operands[1 - j]);
      if (keys.empty())
        continue;
      keys.insert(keys.begin(), keyOf(order, less, rest->operands[j]));
      return keys;
    }
  }
  return {};
}

Value shardir::emitTerm(OpBuilder &builder, const SortTerm *term,
                        function_ref<Value(int64_t, int64_t)> element,
                        std::map<const SortTerm *, Value> &made) {
  Value &value = made[term];
  if (value)
    return value;
  if (term->kind == SortTerm::Element)
    return value = element(term->tensor, term->offset);
  Location loc = builder.getUnknownLoc();
  if (term->kind == SortTerm::Constant)
    return value = arith::ConstantOp::create(builder, loc,
                                             cast<TypedAttr>(term->attribute));
  SmallVector<Value> operands;
  for (const SortTerm *operand : term->operands)
    operands.push_back(emitTerm(builder, operand, element, made));
  Operation *op =
      builder.create(term->op->getLoc(), term->op->getName().getIdentifier(),
                     operands, {term->type}, term->op->getAttrs());
  return made[term] = op->getResult(0);
}
