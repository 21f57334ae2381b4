/* Preloaded into a gateway to inject faults: a shifted wall clock, a failing monotonic clock, a full disk,
 * a disk that hangs, programs that do not start.
 *
 * FAULT_WALL_CLOCK names a file with the offset of the wall clock in seconds.
 *
 * FAULT_MONOTONIC_CLOCK names a file. While it exists, a thread that opens a socket fails once to read the monotonic
 * clock, at which Rust panics. In the gateway only a sign-up opens sockets.
 *
 * FAULT_DISK_FULL names a file. While it exists, the disk below the folder FAULT_FOLDER is full. Its first letter selects
 * the operation that fails with ENOSPC:
 *   w  writing      s  syncing      c  creating files and folders
 * With k, creating a file there kills the process instead.
 *
 * FAULT_DISK_HANG names a FIFO. While it exists, a read of a file below the folder FAULT_FOLDER blocks until a process has
 * opened and closed the FIFO.
 *
 * FAULT_SPAWN names a file with the path of a program that starts instead of every other one. If the file is empty, the
 * process table is full.
 *
 * The files are read on every call, so a test can change them while the gateway runs. The code below uses system calls
 * directly, to bypass the functions that it replaces, except posix_spawnp, which is not a system call. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Reads the start of the file that a variable names. Returns its length, or -1. */
static long read_fault_file(const char *variable, char *text, long size) {
    const char *path = getenv(variable);
    if (!path) return -1;
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return -1;
    long length = syscall(SYS_read, file, text, size - 1);
    syscall(SYS_close, file);
    text[length > 0 ? length : 0] = 0;
    return length;
}

static long clock_offset(void) {
    int before = errno;
    char text[32];
    long seconds = read_fault_file("FAULT_WALL_CLOCK", text, sizeof text) > 0 ? atol(text) : 0;
    errno = before;
    return seconds;
}

/* Whether this thread's next read of the monotonic clock fails. */
static __thread int monotonic_clock_fails;

int socket(int domain, int type, int protocol) {
    int before = errno;
    char text[8];
    monotonic_clock_fails = read_fault_file("FAULT_MONOTONIC_CLOCK", text, sizeof text) >= 0;
    errno = before;
    return syscall(SYS_socket, domain, type, protocol);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (clock == CLOCK_MONOTONIC && monotonic_clock_fails) {
        monotonic_clock_fails = 0;
        errno = EINVAL;
        return -1;
    }
    long outcome = syscall(SYS_clock_gettime, clock, now);
    if (outcome == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += clock_offset();
    return outcome;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise)) return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}

static int is_below(const char *path) {
    const char *folder = getenv("FAULT_FOLDER");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

/* Whether the disk is full until the gateway gives up the space that it has reserved. */
static int is_full_with_reserve(char what, const char *text) {
    char reserve[PATH_MAX];
    const char *folder = getenv("FAULT_FOLDER");
    if (what != 'w' || text[0] != 'r' || !folder || strlen(folder) + 9 > sizeof reserve) return 0;
    strcpy(stpcpy(reserve, folder), "/reserve");
    return syscall(SYS_faccessat, AT_FDCWD, reserve, F_OK) == 0;
}

/* Whether an operation fails at this path. Sets errno. */
static int fails_at(char what, const char *path) {
    char text[8];
    if (read_fault_file("FAULT_DISK_FULL", text, sizeof text) <= 0 || !is_below(path)) return 0;
    if (text[0] != what && !is_full_with_reserve(what, text)) return 0;
    errno = ENOSPC;
    return 1;
}

/* Finds the path of an open file. Returns 0 if it has none. */
static int path_of(int file, char path[PATH_MAX]) {
    int before = errno;
    char link[64] = "/proc/self/fd/", digits[12];
    int count = 0;
    for (unsigned number = file; count == 0 || number > 0; number /= 10) digits[count++] = '0' + number % 10;
    char *end = link + strlen(link);
    while (count > 0) *end++ = digits[--count];
    *end = 0;
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    errno = before;
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static int fails(char what, int file) {
    char path[PATH_MAX];
    return path_of(file, path) && fails_at(what, path);
}

#define WRITES(name, type, call, parameters, ...)                     \
    type name parameters {                                            \
        return fails('w', file) ? -1 : syscall(call, ##__VA_ARGS__); \
    }

WRITES(write, ssize_t, SYS_write, (int file, const void *bytes, size_t count), file, bytes, count)
WRITES(writev, ssize_t, SYS_writev, (int file, const struct iovec *parts, int count), file, parts, count)
WRITES(pwrite, ssize_t, SYS_pwrite64, (int file, const void *bytes, size_t count, off_t at), file, bytes, count, at)
WRITES(pwrite64, ssize_t, SYS_pwrite64, (int file, const void *bytes, size_t count, off64_t at), file, bytes, count, at)
WRITES(ftruncate, int, SYS_ftruncate, (int file, off_t length), file, length)
WRITES(ftruncate64, int, SYS_ftruncate, (int file, off64_t length), file, length)
WRITES(sendfile, ssize_t, SYS_sendfile, (int file, int from, off_t *at, size_t count), file, from, at, count)
WRITES(sendfile64, ssize_t, SYS_sendfile, (int file, int from, off64_t *at, size_t count), file, from, at, count)
WRITES(copy_file_range, ssize_t, SYS_copy_file_range,
       (int from, off64_t *start, int file, off64_t *at, size_t count, unsigned flags),
       from, start, file, at, count, flags)

ssize_t read(int file, void *bytes, size_t count) {
    int before = errno;
    char path[PATH_MAX];
    const char *fifo = getenv("FAULT_DISK_HANG");
    if (fifo && syscall(SYS_faccessat, AT_FDCWD, fifo, F_OK) == 0 && path_of(file, path) && is_below(path)) {
        char text[8];
        read_fault_file("FAULT_DISK_HANG", text, sizeof text);
    }
    errno = before;
    return syscall(SYS_read, file, bytes, count);
}

int fsync(int file) { return fails('s', file) ? -1 : syscall(SYS_fsync, file); }
int fdatasync(int file) { return fails('s', file) ? -1 : syscall(SYS_fdatasync, file); }

/* Whether creating a path fails because it does not exist yet and the disk is full. */
static int creation_fails(int folder, const char *path) {
    int before = errno;
    int exists = syscall(SYS_faccessat, folder, path, F_OK) == 0;
    errno = before;
    if (!exists && fails_at('k', path)) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    return !exists && fails_at('c', path);
}

static int opens(int folder, const char *path, int flags, mode_t mode) {
    if (flags & O_CREAT && creation_fails(folder, path)) return -1;
    return syscall(SYS_openat, folder, path, flags, mode);
}

#define OPENS(name, parameters, folder, last)                     \
    int name parameters {                                         \
        va_list more;                                             \
        va_start(more, last);                                     \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                             \
        return opens(folder, path, flags, mode);                  \
    }

OPENS(open, (const char *path, int flags, ...), AT_FDCWD, flags)
OPENS(open64, (const char *path, int flags, ...), AT_FDCWD, flags)
OPENS(openat, (int folder, const char *path, int flags, ...), folder, flags)
OPENS(openat64, (int folder, const char *path, int flags, ...), folder, flags)

int mkdir(const char *path, mode_t mode) {
    return creation_fails(AT_FDCWD, path) ? -1 : syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                           char *const[], char *const[]);

int posix_spawnp(pid_t *restrict pid, const char *restrict program,
                 const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes,
                 char *const arguments[restrict], char *const environment[restrict]) {
    char other[PATH_MAX];
    long length = read_fault_file("FAULT_SPAWN", other, sizeof other);
    if (length == 0) return EAGAIN;
    spawn_function *spawn = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawnp");
    return spawn(pid, length > 0 ? other : program, actions, attributes, arguments, environment);
}
