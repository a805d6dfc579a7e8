// SPDX-License-Identifier: MIT
// Kernels that launch kernels: what they see, in which order, and what they are told.
#include <cstdio>
#include <vector>

constexpr int cells = 64;

struct Cells {
    int* d;
    Cells() {
        cudaMalloc(&d, cells * sizeof(int));
        cudaMemset(d, 0, cells * sizeof(int));
    }
    ~Cells() { cudaFree(d); }
    std::vector<int> read() const {
        std::vector<int> h(cells);
        cudaMemcpy(h.data(), d, cells * sizeof(int), cudaMemcpyDeviceToHost);
        return h;
    }
};

// ---- depth: each level launches the next and says how deep it is

__global__ void deeper(int depth, int* deepest, int* error) {
    atomicMax(deepest, depth);
    deeper<<<1, 1>>>(depth + 1, deepest, error);
    if (const cudaError_t e = cudaGetLastError()) *error = e;
}

// ---- what a child sees, and who sees what a child has written

__global__ void increment(int* values) { atomicAdd(&values[threadIdx.x], 1); }
__global__ void copy_down(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void sees(int* values) {
    values[threadIdx.x] = threadIdx.x * 10;
    __syncthreads();
    if (threadIdx.x) return;
    increment<<<1, 4>>>(values);
    copy_down<<<1, 4>>>(values, values + 4);                           // after the increment: the same stream
    increment<<<1, 4>>>(values);                                       // after the copy
    copy_down<<<1, 4, 0, cudaStreamTailLaunch>>>(values, values + 8);  // after both
    increment<<<1, 4, 0, cudaStreamTailLaunch>>>(values);              // and this after that
}

// ---- a chain of tail launches: what a loop around launch and wait becomes

__global__ void halve(int* value) { *value /= 2; }
__global__ void step(int* value, int* steps) {
    if (*value == 0) return;
    ++*steps;
    halve<<<1, 1>>>(value);
    step<<<1, 1, 0, cudaStreamTailLaunch>>>(value, steps);
}

// ---- every block has a null stream, in which all its threads' launches follow each other

__global__ void append(int* list, int value) { list[++list[0]] = value; }
__global__ void each_thread_appends(int* lists) {
    append<<<1, 1>>>(lists + blockIdx.x * 16, 1);
    __syncthreads();
    append<<<1, 1>>>(lists + blockIdx.x * 16, 2);
}

// ---- streams, events, copies and fills of the device

__global__ void set(int* cell, int value) { *cell = value; }
__global__ void add_into(int* to, const int* from) { *to += *from; }
__global__ void in_streams(int* c) {
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    set<<<1, 1, 0, a>>>(c, 5);
    cudaMemcpyAsync(c + 1, c, sizeof(int), cudaMemcpyDeviceToDevice, a);
    cudaEventRecord(e, a);
    set<<<1, 1, 0, a>>>(c, 7);  // after the event
    cudaStreamWaitEvent(b, e, 0);
    add_into<<<1, 1, 0, b>>>(c + 1, c + 1);
    cudaMemsetAsync(c + 2, 1, sizeof(int), b);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaEventDestroy(e);
    c[3] = cudaGetLastError();
}

// ---- errors are each thread's own

__global__ void fails(int* c) {
    cudaStream_t stream;
    cudaEvent_t event;
    if (threadIdx.x == 1) {
        increment<<<1, 2000>>>(c);
        c[10] = cudaPeekAtLastError();
        c[11] = cudaGetLastError();
        c[12] = cudaGetLastError();
        c[13] = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
        c[14] = cudaEventCreateWithFlags(&event, cudaEventDefault);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        c[15] = cudaEventRecord(event, cudaStreamFireAndForget);
        c[16] = cudaStreamWaitEvent(cudaStreamTailLaunch, event, 0);
        increment<<<1, 1, 0, reinterpret_cast<cudaStream_t>(0x40)>>>(c);
        c[17] = cudaGetLastError();
        int local = 0;
        c[18] = cudaMemcpyAsync(c, &local, sizeof local, cudaMemcpyDeviceToDevice, nullptr);
    }
    __syncthreads();
    c[20 + threadIdx.x] = cudaGetLastError();
}

__global__ void asks(int* c) {
    int device = -1, count = 0, warp = 0, version = 0, blocks = 0;
    size_t limit = 0;
    cudaFuncAttributes attributes;
    c[0] = cudaGetDevice(&device) || cudaGetDeviceCount(&count) || cudaRuntimeGetVersion(&version) ||
           cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device) ||
           cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount) ||
           cudaFuncGetAttributes(&attributes, increment) ||
           cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0);
    c[1] = device == 0 && count >= 1 && version >= 12000 && warp == 32 && limit == 2048 && blocks > 0;
    c[2] = attributes.maxThreadsPerBlock;
    const char* name = cudaGetErrorName(cudaErrorInvalidValue);
    c[3] = name[9] == 'I';
    int* memory = nullptr;
    c[4] = cudaMalloc(&memory, 400);
    memory[99] = 42;
    increment<<<1, 1>>>(memory + 99);
    copy_down<<<1, 1, 0, cudaStreamTailLaunch>>>(memory + 99, c + 5);
    int* own = nullptr;
    cudaMalloc(&own, 4);
    c[6] = cudaFree(own);
}

__global__ void floods(int* c) {
    increment<<<1, 1>>>(c);
    if (const cudaError_t error = cudaGetLastError()) {
        atomicAdd(c + 1, 1);
        c[2] = error;
    }
}

// An event lives until it is destroyed, or as long as its grid.
__global__ void keeps_events(int* c) {
    cudaEvent_t event;
    const cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    atomicAdd(c + (error == cudaSuccess ? 0 : error == cudaErrorMemoryAllocation ? 1 : 2), 1);
}
__global__ void destroys_events(int* c) {
    for (int i = 0; i < 100; ++i) {
        cudaEvent_t event;
        const cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        if (error || cudaEventDestroy(event)) atomicAdd(c + 3, 1);
    }
}

__global__ void launches_a_fault(int* c) {
    set<<<1, 1>>>(c + (1l << 44), 1);  // far outside
    set<<<1, 1>>>(c, 1);  // never runs
}

// Children of different streams are there at the same time.
__global__ void waits_or_sets(volatile int* flag, bool sets) {
    if (sets) *flag = 1;
    while (*flag == 0) {}
}
__global__ void together(int* c) {
    waits_or_sets<<<1, 1, 0, cudaStreamFireAndForget>>>(c, false);
    waits_or_sets<<<1, 1, 0, cudaStreamFireAndForget>>>(c, true);
}

// A lambda and a template as children, launched by a member of a class.
template <int depth>
__global__ void counted(int* c) {
    atomicAdd(c, depth);
    if constexpr (depth > 0) counted<depth - 1><<<2, 1, 0, cudaStreamFireAndForget>>>(c);
}
template <class F>
__global__ void calls(F f) {
    f(threadIdx.x);
}
struct Launches {
    int* c;
    __device__ void operator()(int i) const {
        int* cell = c;
        calls<<<1, 3>>>([=](int j) { atomicAdd(cell + i, j); });
    }
};

int main() {
    {
        Cells c;
        deeper<<<1, 1>>>(0, c.d, c.d + 1);
        const auto h = c.read();
        printf("deepest %d, then %s\n", h[0], cudaGetErrorName(static_cast<cudaError_t>(h[1])));
    }
    {
        Cells c;
        sees<<<1, 4>>>(c.d);
        for (int i = 0; i < 12; ++i) printf("%d%c", c.read()[i], i % 4 < 3 ? ' ' : '\n');
    }
    {
        Cells c;
        int start = 200;
        cudaMemcpy(c.d, &start, sizeof start, cudaMemcpyHostToDevice);
        step<<<1, 1>>>(c.d, c.d + 1);
        printf("%d after %d steps\n", c.read()[0], c.read()[1]);
    }
    {
        Cells c;
        each_thread_appends<<<2, 3>>>(c.d);
        for (int block = 0; block < 2; ++block) {
            for (int i = 0; i <= 6; ++i) printf("%d ", c.read()[block * 16 + i]);
        }
        printf("\n");
    }
    {
        Cells c;
        in_streams<<<1, 1>>>(c.d);
        printf("%d %d %#x %d\n", c.read()[0], c.read()[1], c.read()[2], c.read()[3]);
    }
    {
        Cells c;
        fails<<<1, 3>>>(c.d);
        const auto h = c.read();
        for (int i = 10; i < 23; ++i) {
            if (i != 19) printf("%s\n", cudaGetErrorName(static_cast<cudaError_t>(h[i])));
        }
        printf("on the host %s\n", cudaGetErrorName(cudaGetLastError()));
    }
    {
        Cells c;
        asks<<<1, 1>>>(c.d);
        for (int i = 0; i < 7; ++i) printf("%d%c", c.read()[i], i < 6 ? ' ' : '\n');
    }
    {
        Cells c;
        floods<<<30, 100>>>(c.d);
        printf("%d ran, %d were refused: %s\n", c.read()[0], c.read()[1],
               cudaGetErrorName(static_cast<cudaError_t>(c.read()[2])));
        cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 3000);
        floods<<<30, 100>>>(c.d);
        printf("%d ran, %d were refused: %s\n", c.read()[0], c.read()[1],
               cudaGetErrorName(static_cast<cudaError_t>(c.read()[2])));
    }
    {
        Cells c;
        cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 2048);
        for (int i = 0; i < 2; ++i) keeps_events<<<50, 100>>>(c.d);
        destroys_events<<<1, 64>>>(c.d);
        printf("%d events, no room for %d, other errors %d %d\n", c.read()[0], c.read()[1], c.read()[2], c.read()[3]);
    }
    {
        Cells c;
        counted<4><<<1, 1>>>(c.d);
        calls<<<1, 2>>>(Launches{c.d + 1});
        printf("%d %d %d\n", c.read()[0], c.read()[1], c.read()[2]);
    }
    {
        // A graph runs its kernels with all that they launch, one after the other.
        Cells c;
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t run;
        cudaStreamCreate(&stream);
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        sees<<<1, 4, 0, stream>>>(c.d);
        copy_down<<<1, 4, 0, stream>>>(c.d, c.d + 12);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&run, graph, 0);
        cudaGraphLaunch(run, stream);
        cudaGraphLaunch(run, stream);
        cudaStreamSynchronize(stream);
        printf("%d %d\n", c.read()[9], c.read()[13]);
    }
    {
        Cells c;
        together<<<1, 1>>>(c.d);
        printf("%d\n", c.read()[0]);
    }
    {
        Cells c;
        launches_a_fault<<<1, 1>>>(c.d);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
}
