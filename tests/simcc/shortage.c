// SPDX-License-Identifier: MIT
// Makes one call of the C library fail, as FAIL=FUNCTION:N says: the Nth of pthread_create, mmap or malloc since main
// began. What runs before is not the program's: the loader, and a CUDA runtime that registers its kernels and checks no
// allocation.
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

typedef int Main(int, char**, char**);

static Main* main_of_program = NULL;
static int main_began = 0;

static int begin_main(int count, char** arguments, char** environment) {
    main_began = 1;
    return main_of_program(count, arguments, environment);
}

// Called by the first instructions of every program, with its main.
int __libc_start_main(Main* main, int count, char** arguments, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void* stack_end) {
    int (*next)(Main*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
    *(void**)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    main_of_program = main;
    return next(begin_main, count, arguments, init, fini, rtld_fini, stack_end);
}

static int is_last(const char* function, int* calls) {
    const char* wanted = main_began ? getenv("FAIL") : NULL;
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
