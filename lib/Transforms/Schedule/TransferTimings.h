//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the collectives of a block start, as numbers. Requires the times in the
// order of the program; guarantees starts that are no later than they were.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_SCHEDULE_TRANSFERTIMINGS_H
#define SHARDIR_LIB_TRANSFORMS_SCHEDULE_TRANSFERTIMINGS_H

#include "mlir/Support/LLVM.h"

#include <vector>

namespace shardir {

/// When a transfer takes place, in seconds of the block's own sequence.
struct TransferTiming {
  double seconds;    ///< that it takes
  double origin;     ///< where it stands
  double need;       ///< where it must be done
  bool canMove;      ///< up
  double margin = 0; ///< to be done so much earlier than it need be
  double start = 0;
};

/// Sets the starts: as late as they may be where nothing else is under way, and
/// earlier where one would come late as it waits for others. Of two that wait
/// for each other, the one that is needed first starts first.
void chooseStarts(std::vector<TransferTiming> &timings);

/// The seconds for which each transfer keeps the block waiting, if they run one
/// after the other, in the order of their starts.
std::vector<double> stallsOf(llvm::ArrayRef<TransferTiming> timings);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_SCHEDULE_TRANSFERTIMINGS_H
