/* Preloaded into a gateway to replace DNS for names below .localhost, which may be used without TLS.
 *
 * DNS_LOOKUPS names a file, to which each lookup appends a byte. DNS_HANG names a FIFO. While it exists, a lookup blocks until a
 * process has opened the FIFO.
 *
 * link-local.localhost has a link-local address, to which nothing can be sent without naming an interface. All other names have that of
 * this machine. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*lookup_function)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    lookup_function next = (lookup_function)dlsym(RTLD_NEXT, "getaddrinfo");
    const char *end = name ? strstr(name, ".localhost") : NULL;
    if (!end || strcmp(end, ".localhost") != 0) return next(name, service, hints, found);
    int lookups = open(getenv("DNS_LOOKUPS"), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (lookups < 0 || write(lookups, ".", 1) != 1) abort();
    close(lookups);
    int hang = open(getenv("DNS_HANG"), O_RDONLY | O_CLOEXEC);
    if (hang >= 0) close(hang);
    return next(strncmp(name, "link-local.", 11) == 0 ? "fe80::1" : "127.0.0.1", service, hints, found);
}
