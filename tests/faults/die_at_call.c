// A preload that kills its process at the N-th call that touches a file for good: write, fsync, rename.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int Due(void) {
  static int calls;
  const char* last = getenv("STALLSCOPE_TEST_DIE_AT");
  return last != NULL && ++calls == atoi(last);
}

ssize_t write(int fd, const void* bytes, size_t count) {
  static ssize_t (*real)(int, const void*, size_t);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "write");
  if (fd <= 2 || !Due()) return real(fd, bytes, count);
  real(fd, bytes, count / 2);  // half a document, the worst that can happen
  return raise(SIGKILL);
}

int fsync(int fd) {
  static int (*real)(int);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "fsync");
  if (Due()) raise(SIGKILL);
  return real(fd);
}

int rename(const char* from, const char* to) {
  static int (*real)(const char*, const char*);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "rename");
  if (Due()) raise(SIGKILL);
  return real(from, to);
}
