// What clang wants declared before it reads CUDA, and the simulator's headers do not declare.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, unsigned long shared = 0, void* stream = nullptr);
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
