/*
 * What the programs of RANKS ranks (four) share in which one thing goes wrong
 * between processes, each in an entry of its own. The rank at fault is 2, but
 * for the entries that end in _0, where it is 0. A program that includes this
 * defines `static void reduce(int32_t id, const int64_t *extent)`, which runs
 * collective 0 or 1, the all-reduces that its metadata lists by REDUCE, or
 * OPEN, the one that it lists by REDUCE_OPEN, of at most 8 elements, or BIG,
 * REDUCE_BIG, of BIG_ELEMENTS, of which LATE_TIMES take some tenths of a
 * second; `begin()` and `end()`, which start BIG and wait
 * for it; and `allocate(uint64_t)`.
 */
#ifndef SHARDIR_TEST_INPUTS_FAULTS_H
#define SHARDIR_TEST_INPUTS_FAULTS_H

#include "ShardIR/Runtime/Abi.h"
#include <linux/filter.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef HASH
#define HASH "0"
#endif
#ifndef RANKS
#define RANKS "4"
#endif
#define METADATA_HEAD                                                          \
  "{\"abi\": 1, \"hash\": \"" HASH "\", \"ranks\": " RANKS                     \
  ", \"meshes\": [{\"name\": \"m\", \"axes\": [{\"name\": \"x\", \"size\": "   \
  "" RANKS "}], \"devices\": []}], "
#ifdef STATIC_COLLECTIVES
#define SEQUENCE ", \"static_collectives\": true"
#else
#define SEQUENCE ""
#endif
#define ENTRY(NAME)                                                            \
  "{\"name\": \"" #NAME "\", \"symbol\": \"entry_" #NAME                       \
  "\", \"arguments\": [], \"results\": []" SEQUENCE "}"
#define FAULT_ENTRIES                                                                                                                                                                                                                                                    \
  ENTRY(good)                                                                                                                                                                                                                                                            \
  "," ENTRY(fails) "," ENTRY(fails_0) "," ENTRY(hangs) "," ENTRY(killed) "," ENTRY(killed_0) "," ENTRY(exits) "," ENTRY(stopped) "," ENTRY(stopped_0) "," ENTRY(differs) "," ENTRY(leaves) "," ENTRY(late) "," ENTRY(spins) "," ENTRY(size) "," ENTRY(memory) "," ENTRY( \
      killed_waiting) "," ENTRY(killed_moving) "," ENTRY(stopped_waiting) "," ENTRY(stopped_moving) "," ENTRY(parted) "," ENTRY(late_waiting) "," ENTRY(late_moving) "," ENTRY(hangs_moving) "," ENTRY(spins_moving) "," ENTRY(memory_moving) "," ENTRY(differs_moving) "," ENTRY(parted_computing) "," ENTRY(parted_moving)
#define REDUCE_SHAPE(SHAPE, LOC)                                               \
  "{\"kind\": \"all_reduce\", \"mesh\": \"m\", \"from\": \"[{}], partial = "   \
  "sum [\\\"x\\\"]\", \"to\": \"[{}]\", \"shape\": " SHAPE                     \
  ", \"element_type\": \"f32\", \"loc\": \"" LOC "\"}"
#define REDUCE(LOC) REDUCE_SHAPE("[8]", LOC)
#define REDUCE_OPEN(LOC) REDUCE_SHAPE("[-1]", LOC)
#define BIG_ELEMENTS 262144
#define REDUCE_BIG(LOC) REDUCE_SHAPE("[262144]", LOC)

/* The process to which the launcher gave NUMBER in VARIABLE gets SIGNAL. */
#define WHEN_LOADED(VARIABLE, NUMBER, SIGNAL)                                  \
  __attribute__((constructor)) static void whenLoaded(void) {                  \
    const char *number = getenv(VARIABLE);                                     \
    if (number && atoi(number) == NUMBER)                                      \
      raise(SIGNAL);                                                           \
  }

static void reduce(int32_t id, const int64_t *extent);
static void begin(void);
static void end(void);
static void allocate(uint64_t bytes);
static int64_t me(void) { return shardir_axis_index(0, 0); }
static void forever(void) {
  for (volatile int go = 1; go;)
    ;
}

/* One reduction that goes well, the fault on rank WHO, and another reduction.
 */
#define FAULT(NAME, WHO, ...)                                                  \
  void entry_##NAME(void **descriptors) {                                      \
    (void)descriptors;                                                         \
    reduce(0, NULL);                                                           \
    if (me() == WHO) {                                                         \
      __VA_ARGS__;                                                             \
    }                                                                          \
    reduce(1, NULL);                                                           \
  }

FAULT(good, -1, )
/* By then the others wait in the second reduction. */
FAULT(fails, 2, usleep(300000); shardir_fail("no such row"))
FAULT(fails_0, 0, shardir_fail("no such row"))
FAULT(hangs, 2, forever())
FAULT(killed, 2, usleep(300000); raise(SIGKILL))
FAULT(killed_0, 0, raise(SIGKILL))
FAULT(exits, 2, _exit(0))
FAULT(stopped, 2, usleep(300000); raise(SIGSTOP))
FAULT(stopped_0, 0, raise(SIGSTOP))
FAULT(differs, 2, reduce(0, NULL))
FAULT(leaves, 2, return)
/* No fault: the others wait. */
FAULT(late, 2, usleep(400000))
/* Loops inside hide nothing: nobody has a collective from it. */
static void nothing(int64_t i, void *context) {
  (void)i;
  (void)context;
}
static void spin(void) {
  for (;;)
    shardir_parallel_for(2, nothing, NULL);
}
FAULT(spins, 2, spin())
FAULT(memory, 2, allocate((uint64_t)1 << 50))
/* The same while data moves, which others wait for. */
#define FAULT_MOVING(NAME, ...)                                                \
  void entry_##NAME##_moving(void **descriptors) {                             \
    (void)descriptors;                                                         \
    reduce(0, NULL);                                                           \
    begin();                                                                   \
    if (me() == 2) {                                                           \
      __VA_ARGS__;                                                             \
    }                                                                          \
    end();                                                                     \
    reduce(1, NULL);                                                           \
  }
FAULT_MOVING(hangs, forever())
FAULT_MOVING(spins, spin())
FAULT_MOVING(memory, allocate((uint64_t)1 << 50))
FAULT_MOVING(differs, reduce(0, NULL))

/* Rank 2 has another extent than the others. */
void entry_size(void **descriptors) {
  (void)descriptors;
  int64_t extent = me() == 2 ? 5 : 8;
  reduce(OPEN, &extent);
}

/* The process stops for 0.4 s from 0.03 s on, whatever it does by then. */
static void pauseLater(void) {
  pid_t process = getpid();
  if (fork() != 0)
    return;
  usleep(30000);
  kill(process, SIGSTOP);
  usleep(400000);
  kill(process, SIGCONT);
  _exit(0);
}

/* The process gets a signal 0.3 s from here, whatever it does by then. */
static void *afterAWhile(void *number) {
  usleep(300000);
  kill(getpid(), (int)(intptr_t)number);
  return NULL;
}
static void signalLater(int number) {
  pthread_t thread;
  pthread_create(&thread, NULL, afterAWhile, (void *)(intptr_t)number);
}
/* Rank 2 waits for rank 0 by then, or data moves. */
#define LATER(NAME, TIMES, ...)                                                \
  void entry_##NAME##_waiting(void **descriptors) {                            \
    (void)descriptors;                                                         \
    reduce(0, NULL);                                                           \
    if (me() == 2) {                                                           \
      __VA_ARGS__;                                                             \
    }                                                                          \
    if (me() == 0)                                                             \
      usleep(1000000);                                                         \
    reduce(1, NULL);                                                           \
  }                                                                            \
  void entry_##NAME##_moving(void **descriptors) {                             \
    (void)descriptors;                                                         \
    reduce(0, NULL);                                                           \
    if (me() == 2) {                                                           \
      __VA_ARGS__;                                                             \
    }                                                                          \
    for (int i = 0; i < TIMES; ++i)                                            \
      reduce(BIG, NULL);                                                       \
  }
LATER(killed, 4000, signalLater(SIGKILL))
LATER(stopped, 4000, signalLater(SIGSTOP))
LATER(late, LATE_TIMES, pauseLater())

/* What the others send to rank 2 by TCP is lost from here on; both live on. */
static void hearNobody(void) {
  struct sock_filter drop = {BPF_RET | BPF_K, 0, 0, 0};
  struct sock_fprog program = {1, &drop};
  for (int fd = 0; fd < 1024; ++fd) {
    struct sockaddr_in6 peer;
    socklen_t length = sizeof(peer);
    if (getpeername(fd, (struct sockaddr *)&peer, &length) == 0 &&
        (peer.sin6_family == AF_INET || peer.sin6_family == AF_INET6))
      setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
  }
}
void entry_parted(void **descriptors) {
  (void)descriptors;
  reduce(0, NULL);
  for (int i = 0; i < 4000; ++i) {
    usleep(5000);
    reduce(1, NULL);
    if (me() == 2 && i == 50)
      hearNobody();
  }
}
void entry_parted_computing(void **descriptors) {
  (void)descriptors;
  reduce(0, NULL);
  usleep(300000);
  if (me() == 2)
    hearNobody();
  usleep(20000000);
  reduce(1, NULL);
}
void entry_parted_moving(void **descriptors) {
  (void)descriptors;
  reduce(0, NULL);
  for (int i = 0; i < 4000; ++i) {
    reduce(BIG, NULL);
    if (me() == 2 && i == LATE_TIMES) {
      usleep(300000); /* the host has queued what has not moved yet */
      hearNobody();
    }
  }
}

#endif
