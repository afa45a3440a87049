// Loaded before a program (LD_PRELOAD): the nth call of one kind on files whose paths end so fails, as a disk may make it fail.
// It reaches what Node does and what native libraries such as SQLite do, whatever the language.
//
// TIDEGATE_DISK_OP     open, read, write or fsync; anything else only counts
// TIDEGATE_DISK_FILE   the end of the path
// TIDEGATE_DISK_NTH    which call, from 1
// TIDEGATE_DISK_ERRNO  what it fails with, as a number
// TIDEGATE_DISK_LAST   the last call that fails; 0 for every one from the nth on
// TIDEGATE_DISK_NOTES  a file that takes a line for each call (op and path) or, where a fault is set, for each call that failed
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FILES 65536
#define REAL(name)                                                   \
  ({                                                                 \
    if (real_##name == NULL) real_##name = dlsym(RTLD_NEXT, #name);  \
    (__typeof__(&name))real_##name;                                  \
  })

static const char *op, *file, *notes;
static long nth, last;
static int code;
static int is_set;
static atomic_long calls;
// Of the files that are meant: their paths, by descriptor.
static char *paths[MOST_FILES];

static void *real_open, *real_open64, *real_openat, *real_openat64, *real_close;
static void *real_read, *real_pread, *real_pread64, *real_readv, *real_preadv, *real_preadv64;
static void *real_write, *real_pwrite, *real_pwrite64, *real_writev, *real_pwritev, *real_pwritev64;
static void *real_fsync, *real_fdatasync, *real_ftruncate, *real_ftruncate64, *real_posix_fallocate;
static void *real_rename;

__attribute__((constructor)) static void start(void) {
  op = getenv("TIDEGATE_DISK_OP");
  file = getenv("TIDEGATE_DISK_FILE");
  notes = getenv("TIDEGATE_DISK_NOTES");
  nth = atol(getenv("TIDEGATE_DISK_NTH") ? getenv("TIDEGATE_DISK_NTH") : "0");
  last = atol(getenv("TIDEGATE_DISK_LAST") ? getenv("TIDEGATE_DISK_LAST") : "0");
  code = atoi(getenv("TIDEGATE_DISK_ERRNO") ? getenv("TIDEGATE_DISK_ERRNO") : "5");
  if (op == NULL) op = "";
  if (file == NULL) file = "";
  is_set = nth > 0;
}

static void note(const char *what, const char *path, long number) {
  if (notes == NULL) return;
  char line[4200];
  int length = snprintf(line, sizeof line, "%s %ld %s\n", what, number, path);
  int out = REAL(open)(notes, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (out < 0) return;
  if (REAL(write)(out, line, length) < 0) {}
  REAL(close)(out);
}

static int ends(const char *path) {
  size_t have = strlen(path), want = strlen(file);
  return have >= want && strcmp(path + have - want, file) == 0;
}

// Whether this call is to fail; errno is set then.
static int fails(const char *what, const char *path) {
  if (path == NULL) return 0;
  if (!is_set) {
    note(what, path, 0);
    return 0;
  }
  if (strcmp(what, op) != 0) return 0;
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (number < nth || (last > 0 && number > last)) return 0;
  note(what, path, number);
  errno = code;
  return 1;
}

// The path of a descriptor that is meant. Node closes files by ways that cannot be seen here: it may be another file's by now.
static const char *of(int fd) {
  if (fd < 0 || fd >= MOST_FILES || paths[fd] == NULL) return NULL;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  return ends(path) ? paths[fd] : NULL;
}

static int opened(int fd, const char *path) {
  if (fd < 0 || fd >= MOST_FILES) return fd;
  free(paths[fd]);
  paths[fd] = ends(path) && (notes == NULL || strcmp(path, notes) != 0) ? strdup(path) : NULL;
  return fd;
}

#define OPEN(name)                                                \
  int name(const char *path, int flags, ...) {                    \
    mode_t mode = 0;                                              \
    if (flags & (O_CREAT | __O_TMPFILE)) {                        \
      va_list list;                                               \
      va_start(list, flags);                                      \
      mode = va_arg(list, mode_t);                                \
      va_end(list);                                               \
    }                                                             \
    if (ends(path) && fails("open", path)) return -1;             \
    return opened(REAL(name)(path, flags, mode), path);           \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                              \
  int name(int at, const char *path, int flags, ...) {            \
    mode_t mode = 0;                                              \
    if (flags & (O_CREAT | __O_TMPFILE)) {                        \
      va_list list;                                               \
      va_start(list, flags);                                      \
      mode = va_arg(list, mode_t);                                \
      va_end(list);                                               \
    }                                                             \
    if (ends(path) && fails("open", path)) return -1;             \
    return opened(REAL(name)(at, path, flags, mode), path);       \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int fd) {
  if (fd >= 0 && fd < MOST_FILES && paths[fd] != NULL) {
    free(paths[fd]);
    paths[fd] = NULL;
  }
  return REAL(close)(fd);
}

#define CALL(type, name, what, arguments, given) \
  type name arguments { return fails(what, of(fd)) ? -1 : REAL(name) given; }
CALL(ssize_t, read, "read", (int fd, void *bytes, size_t count), (fd, bytes, count))
CALL(ssize_t, pread, "read", (int fd, void *bytes, size_t count, off_t at), (fd, bytes, count, at))
CALL(ssize_t, pread64, "read", (int fd, void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
CALL(ssize_t, readv, "read", (int fd, const struct iovec *parts, int count), (fd, parts, count))
CALL(ssize_t, preadv, "read", (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
CALL(ssize_t, preadv64, "read", (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
CALL(ssize_t, write, "write", (int fd, const void *bytes, size_t count), (fd, bytes, count))
CALL(ssize_t, pwrite, "write", (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at))
CALL(ssize_t, pwrite64, "write", (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
CALL(ssize_t, writev, "write", (int fd, const struct iovec *parts, int count), (fd, parts, count))
CALL(ssize_t, pwritev, "write", (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
CALL(ssize_t, pwritev64, "write", (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
CALL(int, ftruncate, "write", (int fd, off_t length), (fd, length))
CALL(int, ftruncate64, "write", (int fd, off64_t length), (fd, length))
CALL(int, fsync, "fsync", (int fd), (fd))
CALL(int, fdatasync, "fsync", (int fd), (fd))

// Takes its error as its answer.
int posix_fallocate(int fd, off_t at, off_t length) { return fails("write", of(fd)) ? code : REAL(posix_fallocate)(fd, at, length); }

// What is renamed into place is written there.
int rename(const char *from, const char *to) { return ends(to) && fails("write", to) ? -1 : REAL(rename)(from, to); }
