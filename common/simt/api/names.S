// SPDX-License-Identifier: MIT
// CUDA's own names of the API's functions, for objects and languages that know nothing of include/simt/declare.h. The
// list of names is made from the objects that define the others: see simulator.mk.
#if defined(__x86_64__)
#define JUMP_TO(symbol) jmp symbol@PLT
#elif defined(__aarch64__)
#define JUMP_TO(symbol) b symbol
#elif defined(__riscv)
#define JUMP_TO(symbol) tail symbol
#endif

    .section .note.GNU-stack,"",%progbits
    .text
    .macro plain name
#ifdef JUMP_TO  // other processors have the simulator's own names only
    .globl \name
    .type \name, %function
    .balign 16
\name:
    JUMP_TO(simt_\name)
    .size \name, . - \name
#endif
    .endm
