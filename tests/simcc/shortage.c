// Makes one call of the C library fail, as FAIL=FUNCTION:N says: the Nth of pthread_create, mmap or malloc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t bytes);

static int is_last(const char* function, int* calls) {
    const char* wanted = getenv("FAIL");
    const size_t length = strlen(function);
    if (!wanted || strncmp(wanted, function, length) != 0 || wanted[length] != ':') return 0;
    return __atomic_add_fetch(calls, 1, __ATOMIC_RELAXED) == atoi(wanted + length + 1);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
    static int calls = 0;
    if (is_last("pthread_create", &calls)) return EAGAIN;
    int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    *(void**)&next = dlsym(RTLD_NEXT, "pthread_create");
    return next(thread, attributes, start, argument);
}

void* mmap(void* start, size_t bytes, int protection, int flags, int file, off_t offset) {
    static int calls = 0;
    if (is_last("mmap", &calls)) return errno = ENOMEM, MAP_FAILED;
    return (void*)syscall(SYS_mmap, start, bytes, protection, flags, file, offset);
}

void* malloc(size_t bytes) {
    static int calls = 0;
    if (is_last("malloc", &calls)) return errno = ENOMEM, NULL;
    return __libc_malloc(bytes);
}
