#include "stallscope/engine/torch/memory_reuse.h"

#include <malloc.h>

namespace stallscope {

void KeepFreedMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  // Heaps of other arenas are too small for tensors; one arena serves Gloo's few threads as well.
  mallopt(M_ARENA_MAX, 1);
}

}  // namespace stallscope
