/* Prints what ranges a program opens and closes. */
#include <stdatomic.h>
#include <stdio.h>
static _Thread_local int depth;
static atomic_int spans, open;
int nvtxRangePushA(const char *name) {
  fprintf(stderr, "range %d: %s\n", depth, name);
  return depth++;
}
int nvtxRangePop(void) { return --depth; }
unsigned long long nvtxRangeStartA(const char *name) {
  fprintf(stderr, "span: %s\n", name);
  ++open;
  return (unsigned long long)++spans;
}
void nvtxRangeEnd(unsigned long long span) {
  if (span == 0 || span > (unsigned long long)spans)
    fprintf(stderr, "no such span: %llu\n", span);
  if (--open == 0)
    fprintf(stderr, "all spans are closed\n");
}
