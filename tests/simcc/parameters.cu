// SPDX-License-Identifier: MIT
// The parameters of kernels: a class's constructors and destructor run on the host, once for a launch, and the device
// gets the bytes; a reference is the object itself.
#include <cstdio>
#include <utility>

static int copies = 0, moves = 0, conversions = 0, ends = 0;

struct Counted {
    int value;
    Counted* self;  // what constructors would change on the device
    __host__ __device__ Counted(int v) : value(v), self(this) {
#ifndef __CUDA_ARCH__
        ++conversions;
#elif defined(__SIMCC__)
        ++conversions;
#endif
    }
    __host__ __device__ Counted(const Counted& other) : value(other.value), self(this) {
#ifndef __CUDA_ARCH__
        ++copies;
#elif defined(__SIMCC__)
        ++copies;
#endif
    }
    __host__ __device__ Counted(Counted&& other) : value(other.value), self(this) {
#ifndef __CUDA_ARCH__
        ++moves;
#elif defined(__SIMCC__)
        ++moves;
#endif
    }
    __host__ __device__ ~Counted() {
#ifndef __CUDA_ARCH__
        ++ends;
#elif defined(__SIMCC__)
        ++ends;
#endif
    }
};

// Owns memory, as a buffer of a library does, and converts to what the kernels take.
struct Buffer {
    int* data;
    explicit Buffer(int n) { cudaMallocManaged(&data, n * sizeof(int)); }
    Buffer(const Buffer&) = delete;
    ~Buffer() {
        cudaDeviceSynchronize();
        cudaFree(data);
    }
    operator int*() const { return data; }
};

struct OnlyMoved {
    int value;
    explicit OnlyMoved(int v) : value(v) {}
    OnlyMoved(OnlyMoved&&) = default;
};

struct Assigned {  // trivially copied, but not trivially assigned
    int value;
    __host__ __device__ Assigned& operator=(int v) {
        value = v;
        return *this;
    }
    __host__ __device__ Assigned& operator=(const Assigned&) { return *this; }
};

__managed__ int result[64];
__managed__ bool same_self;

__global__ void add(Counted counted, int* to) {
    counted.value += threadIdx.x;  // the thread's own copy
    atomicAdd(to, counted.value);
}
template <class T>
__global__ void add_any(T counted, int* to) {
    counted.value += threadIdx.x;
    atomicAdd(to, counted.value);
}
namespace nested {
template <class T, int n = 2>
__global__ void add_two(const T first, const T second, int* to) {
    if (threadIdx.x == 0) atomicAdd(to, n * first.value + second.value);
}
__global__ void add_two(float, int* to) { *to = -1; }
}  // namespace nested
using nested::add_two;
__global__ void count_up(int& sum) { atomicAdd(&sum, 1); }
template <class T>
__global__ void read(const T& from, T* to) {
    *to = from;
}
__global__ void fill(int (&numbers)[4]) { numbers[threadIdx.x] = threadIdx.x + 1; }
__global__ void take(OnlyMoved moved, Assigned assigned, int* to) { *to = moved.value + assigned.value; }
__global__ void default_argument(int* to, int value = 9) { *to = value; }
__global__ void nothing(Counted) {}
__global__ void starts(int* to) {
    if (threadIdx.x == 0) count_up<<<1, 4>>>(*to);
}

static void show(const char* text) {
    cudaDeviceSynchronize();
    printf("%-24s %4d: %d made, %d copied, %d moved, %d destroyed\n", text, result[0], conversions, copies, moves, ends);
    result[0] = conversions = copies = moves = ends = 0;
}

int main() {
    {
        Counted counted(3);
        conversions = 0;
        int* to = result;
        add<<<2, 32>>>(counted, to);
        show("by value");
        add<<<1, 32>>>(Counted(4), to);
        show("a temporary");
        add<<<1, 32>>>(5, to);
        show("a conversion");
        add<<<1, 32>>>(std::move(counted), to);
        show("moved");
        add_any<<<1, 32>>>(counted, to);
        show("template");
        add_any<Counted><<<1, 32>>>(6, to);
        show("template, conversion");
        add_two<<<1, 32>>>(counted, counted, to);
        show("overload");
        nested::add_two<Counted, 5><<<1, 32>>>(counted, 7, to);
        show("overload, conversion");
        void (*pointer)(Counted, int*) = add;
        pointer<<<1, 32>>>(counted, to);
        show("pointer");
        void* arguments[] = {&counted, &to};
        cudaLaunchKernel((void*)add, dim3(1), dim3(32), arguments, 0, 0);
        show("cudaLaunchKernel");
        cudaLaunchCooperativeKernel((void*)add_any<Counted>, dim3(1), dim3(32), arguments, 0, 0);
        show("cooperative");
        cudaLaunchConfig_t configuration = {};
        configuration.gridDim = 1;
        configuration.blockDim = 32;
        cudaLaunchKernelEx(&configuration, add, counted, to);
        show("Ex");
        cudaLaunchKernelExC(&configuration, (void*)add, arguments);
        show("ExC");
        nothing<<<1, 1>>>(counted);
        show("without a name");
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        add<<<1, 32, 0, stream>>>(counted, to);
        cudaGraph_t graph;
        cudaStreamEndCapture(stream, &graph);
        cudaGraphExec_t executable;
        cudaGraphInstantiate(&executable, graph, 0);
        cudaGraphLaunch(executable, stream);
        cudaGraphLaunch(executable, stream);
        show("a captured launch, twice");
    }
    show("end of the block");

    count_up<<<4, 32>>>(result[0]);
    show("a reference");
    int* const address = result;
    void* arguments[] = {(void*)&address};
    cudaLaunchKernel((void*)count_up, dim3(1), dim3(32), arguments, 0, 0);
    show("its address");
    result[1] = 17;
    read<<<1, 1>>>(result[1], result);
    show("a constant reference");
    fill<<<1, 4>>>(*reinterpret_cast<int(*)[4]>(&result[0]));
    cudaDeviceSynchronize();
    printf("an array %d %d %d %d\n", result[0], result[1], result[2], result[3]);
    result[0] = 0;
    starts<<<1, 32>>>(result);
    show("launched by a kernel");
    take<<<1, 1>>>(OnlyMoved(20), Assigned{3}, result);
    show("only moved");
    default_argument<<<1, 1>>>(result);
    show("a default argument");
    {
        Buffer buffer(4);
        buffer.data[0] = 0;
        default_argument<<<1, 1>>>(buffer, 11);
        cudaDeviceSynchronize();
        result[0] = buffer.data[0];
    }
    show("a buffer");
    return 0;
}
