//===- MpiApi.h - The part of MPI that the runtime calls --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI without its headers: the functions, handles and constants that are used,
// as Open MPI's binary interface (libmpi.so.40: versions 2 to 5) has them,
// found when the program runs. Requires nothing to build; guarantees that the
// library of another interface, such as MPICH's, where handles are integers, is
// refused with a message before any function of it but MPI_Get_library_version
// is called.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_MPI_MPIAPI_H
#define SHARDIR_LIB_RUNTIME_MPI_MPIAPI_H

#include "Elements/Reduce.h"

#include <cstddef>
#include <string>

namespace shardir {
namespace runtime {

using MpiComm = void *;
using MpiGroup = void *;
using MpiRequest = void *;
using MpiDatatype = void *;
using MpiHandle = void *; ///< any other

/// Open MPI's MPI_Status.
struct MpiStatus {
  int source = 0, tag = 0, error = 0, cancelled = 0;
  size_t bytes = 0;
};

// MPI standard 4.0, appendix A.3; counts are `int` throughout.
#define SHARDIR_MPI_FUNCTIONS(X)                                               \
  X(Get_library_version, (char *text, int *length))                            \
  X(Initialized, (int *flag))                                                  \
  X(Finalized, (int *flag))                                                    \
  X(Init_thread, (int *argc, char ***argv, int required, int *provided))       \
  X(Query_thread, (int *provided))                                             \
  X(Finalize, (void))                                                          \
  X(Error_string, (int code, char *text, int *length))                         \
  X(Comm_set_errhandler, (MpiComm comm, MpiHandle handler))                    \
  X(Comm_rank, (MpiComm comm, int *rank))                                      \
  X(Comm_size, (MpiComm comm, int *size))                                      \
  X(Comm_dup, (MpiComm comm, MpiComm * result))                                \
  X(Comm_split_type,                                                           \
    (MpiComm comm, int type, int key, MpiHandle info, MpiComm *result))        \
  X(Comm_group, (MpiComm comm, MpiGroup * group))                              \
  X(Comm_create_group,                                                         \
    (MpiComm comm, MpiGroup group, int tag, MpiComm *result))                  \
  X(Comm_free, (MpiComm * comm))                                               \
  X(Group_incl, (MpiGroup group, int n, const int *ranks, MpiGroup *result))   \
  X(Group_free, (MpiGroup * group))                                            \
  X(Isend, (const void *data, int count, MpiDatatype type, int to, int tag,    \
            MpiComm comm, MpiRequest *request))                                \
  X(Irecv, (void *data, int count, MpiDatatype type, int from, int tag,        \
            MpiComm comm, MpiRequest *request))                                \
  X(Recv, (void *data, int count, MpiDatatype type, int from, int tag,         \
           MpiComm comm, MpiStatus *status))                                   \
  X(Iprobe, (int from, int tag, MpiComm comm, int *flag, MpiStatus *status))   \
  X(Test, (MpiRequest * request, int *flag, MpiStatus *status))                \
  X(Wait, (MpiRequest * request, MpiStatus * status))                          \
  X(Cancel, (MpiRequest * request))                                            \
  X(Iallgather,                                                                \
    (const void *in, int sent, MpiDatatype type, void *out, int received,      \
     MpiDatatype outType, MpiComm comm, MpiRequest *request))                  \
  X(Iallgatherv, (const void *in, int sent, MpiDatatype type, void *out,       \
                  const int *counts, const int *offsets, MpiDatatype outType,  \
                  MpiComm comm, MpiRequest *request))                          \
  X(Ialltoall,                                                                 \
    (const void *in, int sent, MpiDatatype type, void *out, int received,      \
     MpiDatatype outType, MpiComm comm, MpiRequest *request))                  \
  X(Ialltoallv, (const void *in, const int *sends, const int *sendOffsets,     \
                 MpiDatatype type, void *out, const int *receives,             \
                 const int *receiveOffsets, MpiDatatype outType, MpiComm comm, \
                 MpiRequest *request))                                         \
  X(Iallreduce, (const void *in, void *out, int count, MpiDatatype type,       \
                 MpiHandle op, MpiComm comm, MpiRequest *request))             \
  X(Ireduce_scatter,                                                           \
    (const void *in, void *out, const int *counts, MpiDatatype type,           \
     MpiHandle op, MpiComm comm, MpiRequest *request))

struct MpiApi {
#define SHARDIR_MPI_MEMBER(NAME, PARAMETERS) int(*NAME) PARAMETERS = nullptr;
  SHARDIR_MPI_FUNCTIONS(SHARDIR_MPI_MEMBER)
#undef SHARDIR_MPI_MEMBER

  MpiComm world = nullptr, commNull = nullptr;
  MpiDatatype byte = nullptr;
  MpiHandle infoNull = nullptr;
  MpiHandle errorsReturn = nullptr;
  std::string version; ///< the first line of what the library says of itself

  static constexpr int kThreadSerialized = 2; ///< MPI_THREAD_SERIALIZED
  static constexpr int kAnySource = -1;
  static constexpr int kTypeShared = 0; ///< MPI_COMM_TYPE_SHARED

  static constexpr size_t kInPlace = 1; ///< MPI_IN_PLACE as a number

  /// The types and operations that reductions use.
  MpiDatatype int8 = nullptr, int16 = nullptr, int32 = nullptr, int64 = nullptr;
  MpiDatatype uint8 = nullptr, uint16 = nullptr, uint32 = nullptr;
  MpiDatatype uint64 = nullptr, float32 = nullptr, float64 = nullptr;
  MpiHandle sum = nullptr, prod = nullptr, max = nullptr, min = nullptr;
  MpiHandle bitAnd = nullptr, bitOr = nullptr, bitXor = nullptr;
  /// Of elements that enginesReduce().
  MpiDatatype typeOf(shardir_element_type type, PartialKind kind) const;
  MpiHandle operationOf(PartialKind kind) const;

  /// Takes the library that the process has loaded already, else
  /// $SHARDIR_MPI_LIBRARY, else libmpi.so.40. False with a one-line reason.
  bool load(std::string &error);
  /// Throws std::runtime_error unless `code` is MPI_SUCCESS.
  void check(int code, const char *function) const;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_MPI_MPIAPI_H
