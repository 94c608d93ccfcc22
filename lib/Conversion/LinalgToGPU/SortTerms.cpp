//===- SortTerms.cpp - Scalars of loops that sort -------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms of which equal ones are one object, and what they say of an order.
// Orders are strict comparisons of integer keys, one after the other where keys
// are equal: of others, NaN among them, a network with fewer steps might make
// something else.
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

/// The key at offset 1 that `term` compares with the same at offset 0.
static const SortTerm *comparedKey(const SortTerm *term, bool equal,
                                   SortTerms &terms) {
  auto compare = dyn_cast_or_null<arith::CmpIOp>(
      term->kind == SortTerm::Result ? term->op : nullptr);
  if (!compare)
    return nullptr;
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  bool fits = equal ? predicate == P::eq
                    : predicate == P::slt || predicate == P::sgt ||
                          predicate == P::ult || predicate == P::ugt;
  if (!fits)
    return nullptr;
  for (unsigned i : {0, 1})
    if (isAt(term->operands[i], 1) &&
        terms.shift(term->operands[i], -1) == term->operands[1 - i])
      return term->operands[i];
  return nullptr;
}

bool SortTerms::isStrictOrder(const SortTerm *term) {
  if (comparedKey(term, /*equal=*/false, *this))
    return true;
  // The first key decides, or is equal and the others do.
  if (term->kind != SortTerm::Result || !isa<arith::OrIOp>(term->op))
    return false;
  for (unsigned i : {0, 1}) {
    const SortTerm *key = comparedKey(term->operands[i], false, *this);
    const SortTerm *rest = term->operands[1 - i];
    if (!key || rest->kind != SortTerm::Result || !isa<arith::AndIOp>(rest->op))
      continue;
    for (unsigned j : {0, 1})
      if (comparedKey(rest->operands[j], true, *this) == key &&
          isStrictOrder(rest->operands[1 - j]))
        return true;
  }
  return false;
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
