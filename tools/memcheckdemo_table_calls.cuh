// The plants of memcheck whose subject is a call, or memory that is freed too late, too early or not at all.
#pragma once

#include "kernels/memcheckdemo_memcheck_api.cuh"
#include "kernels/memcheckdemo_memcheck_lifetime.cuh"
#include "tools/memcheckdemo_plant.cuh"

namespace BACKEND {

inline const std::vector<Plant> call_plants = {
    {"memcpy-wrong-kind", "memcheck", "cudaMemcpyHostToDevice between two arrays of the device", "--tool memcheck",
     "Program hit cudaErrorInvalidValue \\(error 1\\) due to \"invalid argument\" on CUDA API call to cudaMemcpy\\.?",
     "wrong result", "11.0", 'Y', "memcheck", "",
     {"The result is what was there before.", "Did every call succeed?", "Look at the copy's last argument."},
     "The direction says that the source is on the host. cudaMemcpyDeviceToDevice is right, cudaMemcpyDefault always is.",
     duplicate_place, run_duplicate},
    {"memcpy-oversize", "memcheck", "a copy of more bytes than the array has", "--tool memcheck",
     "Program hit cudaErrorInvalidValue \\(error 1\\) due to \"invalid argument\" on CUDA API call to cudaMemcpy\\.?",
     "wrong result", "11.0", 'Y', "memcheck", "",
     {"The result is what was there before.", "Did every call succeed?", "How many bytes does the array have?"},
     "n * sizeof(int) was multiplied by sizeof(int) once more. The copy fails as a whole.", transfer_place, run_transfer},
    {"symbol-address", "memcheck", "cudaMemcpy to the address of a device variable", "--tool memcheck",
     "Program hit cudaErrorInvalidValue \\(error 1\\) due to \"invalid argument\" on CUDA API call to cudaMemcpy\\.?",
     "wrong result", "11.0", 'Y', "memcheck", "",
     {"The kernel works with the old coefficients.", "Did every call succeed?",
      "What is the address of a __device__ variable in host code?"},
     "On the host the name is a shadow of the variable. cudaMemcpyToSymbol, or cudaGetSymbolAddress first.", apply_place,
     run_apply},
    {"launch-too-many-threads", "memcheck", "2048 threads per block", "--tool memcheck",
     "Program hit cudaErrorInvalidConfiguration \\(error 9\\) due to \"invalid configuration argument\" on CUDA API call to "
     "cudaLaunchKernel.*",
     "wrong result", "11.0", 'Y', "memcheck", "",
     {"The kernel seems to do nothing.", "A launch returns no error: who has it?",
      "How many threads may a block have?"},
     "A block has 1024 threads at most. cudaGetLastError after every launch would have said so.", number_blocks_place,
     run_number_blocks},
    {"launch-too-much-shared", "memcheck", "more than 48 KiB of shared memory without asking for it", "--tool memcheck",
     "Program hit cudaErrorInvalidValue \\(error 1\\) due to \"invalid argument\" on CUDA API call to cudaLaunchKernel.*",
     "wrong result", "11.0", 'Y', "memcheck", "",
     {"The kernel seems to do nothing.", "A launch returns no error: who has it?",
      "How much dynamic shared memory does the launch ask for?"},
     "Above 48 KiB a kernel must be allowed first: cudaFuncSetAttribute with "
     "cudaFuncAttributeMaxDynamicSharedMemorySize.",
     reverse_place, run_reverse},
    {"sticky-error", "memcheck", "valid calls fail after a kernel's fault", "--tool memcheck",
     "Invalid __global__ write of size 4 bytes", "crash", "11.0", 'Y', "memcheck", "",
     {"cudaMemset fails, and its arguments are right.", "Which error is it, and could an earlier call have caused it?",
      "The kernel writes through a pointer that is null."},
     "The fault of a kernel ends the context: every call after it returns the same error. Look for the first one.",
     store_result_place, run_store_result},
    {"async-misattribution", "memcheck", "one kernel faults, the next one's check is blamed", "--tool memcheck",
     "Invalid __global__ write of size 4 bytes", "crash", "11.0", 'Y', "memcheck", "",
     {"The check after the second kernel reports an illegal address.", "Kernels run later than their launches return.",
      "It is the first kernel: look at the places that it writes to."},
     "One of the places is far outside. A check after each kernel, with cudaDeviceSynchronize, tells the kernels apart; "
     "CUDA_LAUNCH_BLOCKING=1 does so without a change.",
     scatter_place, run_scatter},
    {"leak-global", "memcheck", "cudaMalloc without cudaFree", "--tool memcheck --leak-check full",
     "Leaked 1,?024 bytes at 0x[0-9a-f]+.*", "silent", "11.0", 'Y', "memcheck", "",
     {"The result is right. What is left behind?", "Which option of memcheck looks at the end of the program?",
      "Count cudaMalloc and cudaFree."},
     "The memory is never freed. In a loop, or in a server, it is the memory that runs out. An owner such as "
     "std::unique_ptr frees on every way out.",
     fill_place, run_fill},
    {"leak-device-heap", "memcheck", "malloc in a kernel without free", "--tool memcheck --leak-check full",
     "Leaked [0-9,]+ bytes at 0x[0-9a-f]+ on the device heap.*", "silent", "11.0", 'Y', "memcheck", "",
     {"The result is right. What is left behind?", "The device has a heap of its own.",
      "Which kernel should have freed the lists?"},
     "What kernels allocate lives on after them, until a kernel frees it. The heap has 8 MiB by default; then malloc "
     "returns null.",
     build_lists_place, run_lists},
    {"device-double-free", "memcheck", "two kernels free the same lists", "--tool memcheck",
     "Malloc/Free error encountered ?: Double free", "crash", "11.0", 'Y', "memcheck", "",
     {"The last kernel is ended.", "What does it do that was done before?", "Both kernels free the lists."},
     "free of what has been freed. One owner frees.",
     {free_lists_place.file, free_lists_place.line, sum_lists_place.line}, run_lists_of_two_owners},
    {"stack-overflow", "memcheck", "a recursion steps over its end", "--tool memcheck", "Stack overflow.*", "crash", "11.0",
     '~', "memcheck", "",
     {"Even numbers work, odd ones end the kernel.", "How deep does the recursion go?",
      "n goes down in steps of two: does it meet 0?"},
     "The end is n == 0, and 3, 1, -1 do not meet it: n <= 0. A thread's stack has 1 KiB by default "
     "(cudaLimitStackSize).",
     sum_of_every_second_place, run_sums_to},
    {"stream-use-before-alloc", "memcheck", "another stream uses memory before it is allocated",
     "--tool memcheck --track-stream-ordered-races all", "Invalid __global__ write of size 4 bytes", "silent", "12.0", 'Y',
     "memcheck", "",
     {"The result is right, mostly.", "cudaMallocAsync takes its place in the order of one stream.",
      "The kernel runs in another stream. What orders the two?"},
     "To other streams the memory is there only after an event: cudaEventRecord in the one, cudaStreamWaitEvent in the "
     "other.",
     allocate_in_order_place, run_allocate_in_order},
    {"stream-use-after-free", "memcheck", "another stream uses memory after it is freed",
     "--tool memcheck --track-stream-ordered-races all", "Invalid __global__ read of size 4 bytes",
     "right or wrong result", "12.0", 'Y', "memcheck", "",
     {"The result is right, as long as nobody else gets the memory.",
      "cudaFreeAsync takes its place in the order of one stream.",
      "The kernel that reads runs in another stream, and is launched later."},
     "Free after the last use: the stream that frees has to wait for an event behind the kernel.", free_in_order_place,
     run_free_in_order},
};

}  // namespace BACKEND
