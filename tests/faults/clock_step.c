// A preload for one process: its wall clock jumps by an hour as soon as a file exists. The machine's own clock
// is never touched.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t Step(void) {
  const char* file = getenv("STALLSCOPE_TEST_CLOCK_STEP");
  return file != NULL && access(file, F_OK) == 0 ? 3600 : 0;
}

int clock_gettime(clockid_t id, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "clock_gettime");
  const int code = real(id, now);
  if (code == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += Step();
  return code;
}

int gettimeofday(struct timeval* now, void* zone) {
  (void)zone;
  struct timespec time;
  const int code = clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return code;
}

time_t time(time_t* place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place != NULL) *place = now.tv_sec;
  return now.tv_sec;
}
