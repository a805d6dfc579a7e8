// SPDX-License-Identifier: MIT
// The plants of memcheck whose subject is an access: outside, misaligned, or through a pointer that is not valid there.
#pragma once

#include <vector>

#include "tools/memcheckdemo/plant.cuh"

namespace BACKEND {

// clang-format off
inline const std::vector<Plant> access_plants = {
    {"oob-global-write", "memcheck", "the guard lets one thread too many through",
     "--tool memcheck", "Invalid __global__ write of size 4 bytes", "right result",
     "11.0", 'Y', "memcheck", "",
     {"Without a checker the result is right, and yet something is written that should not be.",
      "The array has 1000 elements, the grid 1024 threads: which of them may write?",
      "Look at the comparison in the kernel's guard."},
     "i <= n lets thread n write past the last element, into whatever the allocator has put there. An array of n "
     "elements ends before index n: if (i < n).",
     PLANT(bounds, count_up)},
    {"oob-negative-read", "memcheck", "a stencil reads the left neighbor of element 0",
     "--tool memcheck", "Invalid __global__ read of size 4 bytes", "crash or right result",
     "11.0", 'Y', "memcheck", "",
     {"All elements are right, or the kernel crashes.", "Which element has no left neighbor?",
      "Look at the index i - 1 for i = 0."},
     "Thread 0 reads in[-1]. A stencil needs a rule for its border: here the missing neighbor counts as 0.",
     PLANT(bounds, differences)},
    {"oob-neighbor", "memcheck", "an overrun into the next array",
     "--tool memcheck --padding 32", "Invalid __global__ write of size 4 bytes", "wrong result",
     "11.3", '+', "memcheck", "",
     {"An element of one array changes while a kernel works on another.",
      "On a GPU the address is valid: it belongs to the next array. Which option of compute-sanitizer keeps arrays "
      "apart? (The checked simulator always does.)",
      "Look at the guard of the kernel that the report names; compute-sanitizer needs --padding 32 to see it."},
     "Allocations of a multiple of 512 bytes lie end to end, so an overrun by one hits the neighbor. --padding puts "
     "a gap after each allocation. The cure is the guard: i < n.",
     PLANT(bounds, set_all)},
    {"index-overflow", "memcheck", "row * pitch does not fit in an int",
     "--tool memcheck", "Invalid __global__ write of size 4 bytes", "wrong result or crash",
     "11.0", 'Y', "memcheck", "",
     {"Small inputs work, large ones do not.", "How large is row * pitch at the first row?",
      "The product wraps to a negative number, and so does its remainder: look where it is computed."},
     "50000 * 50001 is more than 2^31 - 1. Multiply in 64 bits: static_cast<long long>(row) * pitch.",
     PLANT(bounds, into_ring)},
    {"oob-shared", "memcheck", "a tile in shared memory is one element too short",
     "--tool memcheck", "Invalid __shared__ write of size 4 bytes", "crash or right result",
     "11.0", 'Y', "memcheck", "",
     {"The result is right, or the kernel crashes.", "Count the slots of the tile that are written.",
      "tile[t + 1] for t = 255 is tile[256]; the tile has 256 elements."},
     "The last thread writes past the tile. Another array, or another block's data, may be there next time. The "
     "tile needs 256 + 1 elements.",
     PLANT(bounds, shift_right)},
    {"oob-local", "memcheck", "an index runs past an array in the thread's own memory",
     "--tool memcheck", "Invalid __local__ write of size 4 bytes", "right result",
     "11.0", '+', "memcheck", "",
     {"One value of the input is not what the kernel was written for.",
      "A thread's own array lies in local memory. compute-sanitizer sees an overrun that leaves the thread's frame, "
      "the simulator one that leaves the array.",
      "Which bin does the last thread fill?"},
     "A bin beyond the 64 is written. Indices that come from data must be checked before they are used.",
     PLANT(bounds, spread)},
    {"misaligned-float4", "memcheck", "a float4 is read from an address that is not a multiple of 16",
     "--tool memcheck", "Invalid __global__ read of size 16 bytes", "crash",
     "11.0", 'Y', "memcheck", "",
     {"A GPU ends the kernel, although every element that it reads exists; a processor may not mind.",
      "What must be true of the address of a float4?", "Look at the cast of in + 1."},
     "cudaMalloc aligns to 256 bytes, and in + 1 is 4 bytes further. Read the elements one by one, or start at a "
     "multiple of four.",
     PLANT(pointers, sum_quads)},
    {"null-deref", "memcheck", "cudaMalloc failed, and nobody checked",
     "--tool memcheck",
     "Program hit cudaErrorMemoryAllocation \\(error 2\\).*|Invalid __global__ write of size 4 bytes", "crash",
     "11.0", 'Y', "memcheck", "",
     {"The kernel crashes at its first access.", "Which address does it write to?",
      "What did cudaMalloc return, and what did it leave in the pointer?"},
     "More memory was asked for than there is, so the pointer stayed null. Check the error of every call.",
     PLANT(pointers, squares)},
    {"use-after-free", "memcheck", "a kernel reads freed memory",
     "--tool memcheck", "Invalid __global__ read of size 4 bytes", "right result or crash",
     "11.0", 'Y', "memcheck", "",
     {"The result is often right.", "Which of the kernel's arrays still exists when it is launched?",
      "The input is freed just before the launch."},
     "Freed memory keeps its contents until somebody else gets it. Free after the last kernel that uses it.",
     PLANT(pointers, twice)},
    {"double-free", "memcheck", "cudaFree is called twice for the same memory",
     "--tool memcheck",
     "Program hit cudaErrorInvalidValue \\(error 1\\) due to \"invalid argument\" on CUDA API call to cudaFree\\.?",
     "silent",
     "11.0", 'Y', "memcheck", "",
     {"Nothing seems wrong, unless the error of every call is checked.", "Which call returns invalid argument?",
      "Two pointers, one allocation: who owns it?"},
     "The second cudaFree may also free what somebody else has been given in between. One owner frees.",
     PLANT(pointers, two_owners)},
    {"host-ptr-on-device", "memcheck", "a kernel gets a host array",
     "--tool memcheck", "Invalid __global__ read of size 4 bytes",
     "crash; legal where the GPU reaches pageable host memory (HMM, ATS)",
     "11.0", 'Y', "memcheck", "",
     {"The kernel crashes, or it is right: that depends on the machine.", "Where does the array live?",
      "The kernel is given a pointer from std::vector."},
     "The GPU does not know the host's addresses, unless it shares its page tables (the attribute "
     "pageableMemoryAccess). Copy the data to device memory, or allocate it with cudaMallocManaged.",
     PLANT(pointers, increment)},
    {"device-ptr-on-host", "memcheck", "the host reads through a device pointer",
     "--tool memcheck", "Error: process didn't terminate successfully", "crash of the process",
     "11.0", 'Y', "memcheck", "",
     {"On a GPU the process ends with a segmentation fault; in the simulator the result is right, unless a checker "
      "looks.", "No kernel is to blame: who reads?",
      "The host reads the last element without cudaMemcpy."},
     "Memory from cudaMalloc has no address on the host. Copy first, or use managed memory. This plant ends the "
     "process.",
     PLANT(pointers, last_value), false, false,
     "Invalid host read of size 4 bytes"},
};
// clang-format on

}  // namespace BACKEND
