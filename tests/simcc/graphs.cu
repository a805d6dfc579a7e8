// SPDX-License-Identifier: MIT
// Nodes of captured and of built graphs return their parameters and take changed ones.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        const cudaError_t error = (call);                                                    \
        if (error) printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error));    \
    } while (0)

struct Pair {
    double a;
    int b;
};

__global__ void fill(float* to, float value, size_t n) {
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = value;
}
template <class T>
__global__ void scale(const T* from, T* to, T factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = factor * from[i];
}
// Two overloads, one with launch bounds, and a parameter with the kernel's name.
__global__ void __launch_bounds__(64) add(float* to, Pair add) { to[threadIdx.x] += float(add.a) + add.b; }
__global__ void add(int* to, int value) { *to += value; }
namespace nested {
namespace {
template <int n, class... Rest>
__global__ void sum(float* sum, Rest... rest) {
    extern __shared__ float s[];
    s[threadIdx.x] = n;
    if (threadIdx.x == 0) *sum += s[0] + (0 + ... + float(rest));
}
}  // namespace
}  // namespace nested
__global__ void nothing() {}
struct alignas(64) Aligned {
    int x;
};
extern "C" __global__ void of_c(char c, Aligned a, int* to) { *to += c + a.x; }

static int calls = 0;
static void count(void* data) { calls += *static_cast<int*>(data); }

static void show(const char* text, const float* x) { printf("%s %g %g %g %g\n", text, x[0], x[1], x[2], x[3]); }

int main(int arguments_given, char**) {
    const bool wrong = arguments_given > 1;  // checked programs report such calls
    float *x, *y;
    int* k;
    cudaMallocManaged(&x, 4 * sizeof(float));
    cudaMallocManaged(&y, 4 * sizeof(float));
    cudaMallocManaged(&k, sizeof(int));
    *k = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int one = 1, ten = 10;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<1, 32, 0, stream>>>(x, 2, 4);  // converted to the parameters' types
    scale<<<dim3(1, 1), 4, 0, stream>>>(x, y, 3.f, 4);
    add<<<1, 4, 0, stream>>>(y, Pair{0.5, 1});
    add<<<1, 1, 0, stream>>>(k, 5);
    nested::sum<7><<<1, 4, 64, stream>>>(y, 1, 2.5);
    void (*pointer)() = nothing;
    pointer<<<2, 2, 0, stream>>>();
    cudaMemcpyAsync(x, y, 2 * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaMemsetAsync(x + 2, 0, 4, stream);
    cudaLaunchHostFunc(stream, count, &one);
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));

    size_t n = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &n));
    std::vector<cudaGraphNode_t> nodes(n);
    CHECK(cudaGraphGetNodes(graph, nodes.data(), &n));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("captured: x", x), show("y", y);
    printf("k %d, calls %d\n", *k, calls);

    std::vector<cudaKernelNodeParams> p(6);
    for (size_t i = 0; i < n; ++i) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(nodes[i], &type));
        printf("%zu: type %d", i, int(type));
        if (type == cudaGraphNodeTypeKernel) {
            CHECK(cudaGraphKernelNodeGetParams(nodes[i], &p[i]));
            printf(", grid %u %u %u, block %u, shared %u, extra %p", p[i].gridDim.x, p[i].gridDim.y, p[i].gridDim.z,
                   p[i].blockDim.x, p[i].sharedMemBytes, static_cast<void*>(p[i].extra));
        }
        printf("\n");
    }
    void (*const add_pair)(float*, Pair) = add;
    void (*const add_int)(int*, int) = add;
    printf("kernels %d %d %d %d %d %d\n", p[0].func == (void*)fill, p[1].func == (void*)scale<float>,
           p[2].func == (void*)add_pair, p[3].func == (void*)add_int,
           p[4].func == (void*)nested::sum<7, int, double>, p[5].func == (void*)nothing);
    printf("arguments %g %zu, %g %d, %g %d, %d, %d %g\n", *(float*)p[0].kernelParams[1],
           *(size_t*)p[0].kernelParams[2], *(float*)p[1].kernelParams[2], *(int*)p[1].kernelParams[3],
           ((Pair*)p[2].kernelParams[1])->a, ((Pair*)p[2].kernelParams[1])->b, *(int*)p[3].kernelParams[1],
           *(int*)p[4].kernelParams[1], *(double*)p[4].kernelParams[2]);
    printf("pointers %d %d %d\n", *(float**)p[0].kernelParams[0] == x, *(const float**)p[1].kernelParams[0] == x,
           *(int**)p[3].kernelParams[0] == k);

    // Arguments and grids change in the graph, and in the executable one.
    float four = 4, six = 6;
    p[0].kernelParams[1] = &four;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &p[0]));
    p[1].kernelParams[2] = &six;
    p[1].blockDim.x = 2;
    p[1].gridDim.x = 2;
    CHECK(cudaGraphKernelNodeSetParams(nodes[1], &p[1]));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("executable: x", x), show("y", y);
    cudaGraphExec_t again;
    CHECK(cudaGraphInstantiate(&again, graph, 0));
    CHECK(cudaGraphLaunch(again, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("graph: x", x), show("y", y);
    CHECK(cudaGraphKernelNodeGetParams(nodes[1], &p[1]));
    printf("now %u %u %g\n", p[1].gridDim.x, p[1].blockDim.x, *(float*)p[1].kernelParams[2]);

    // Another kernel in the same place.
    p[5].func = (void*)fill;
    size_t three = 3;
    float nine = 9;
    void* arguments[] = {&y, &nine, &three};
    p[5].kernelParams = arguments;
    CHECK(cudaGraphExecKernelNodeSetParams(again, nodes[5], &p[5]));

    // Copies, fills and host functions.
    cudaMemcpy3DParms copy = {};
    CHECK(cudaGraphMemcpyNodeGetParams(nodes[6], &copy));
    printf("copy %d %d, %zu %zu %zu, kind %d\n", copy.srcPtr.ptr == y, copy.dstPtr.ptr == x, copy.extent.width,
           copy.extent.height, copy.extent.depth, int(copy.kind));
    copy.extent.width = 3 * sizeof(float);
    CHECK(cudaGraphExecMemcpyNodeSetParams(again, nodes[6], &copy));
    CHECK(cudaGraphMemcpyNodeSetParams(nodes[6], &copy));
    cudaMemsetParams memset = {};
    CHECK(cudaGraphMemsetNodeGetParams(nodes[7], &memset));
    printf("memset %d %u %u %zu %zu\n", memset.dst == x + 2, memset.value, memset.elementSize, memset.width,
           memset.height);
    memset.dst = x + 3;
    memset.elementSize = 4, memset.width = 1, memset.value = 0x40000000;
    CHECK(cudaGraphExecMemsetNodeSetParams(again, nodes[7], &memset));
    CHECK(cudaGraphMemsetNodeSetParams(nodes[7], &memset));
    cudaHostNodeParams host = {};
    CHECK(cudaGraphHostNodeGetParams(nodes[8], &host));
    printf("host %d %d\n", host.fn == count, host.userData == &one);
    host.userData = &ten;
    CHECK(cudaGraphExecHostNodeSetParams(again, nodes[8], &host));
    CHECK(cudaGraphLaunch(again, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("changed: x", x), show("y", y);
    printf("k %d, calls %d\n", *k, calls);
    CHECK(cudaGraphMemcpyNodeGetParams(nodes[6], &copy));
    CHECK(cudaGraphMemsetNodeGetParams(nodes[7], &memset));
    printf("now %zu, %u\n", copy.extent.width, memset.elementSize);
    if (wrong) {
        printf("wrong types: %s, %s\n", cudaGetErrorName(cudaGraphMemcpyNodeGetParams(nodes[0], &copy)),
               cudaGetErrorName(cudaGraphKernelNodeGetParams(nodes[6], &p[0])));
    }

    // A node that was built keeps copies of its arguments; arrays and pitches survive, too.
    cudaGraph_t built;
    CHECK(cudaGraphCreate(&built, 0));
    cudaGraphNode_t node;
    {
        float five = 5;
        size_t all = 4;
        void* own[] = {&x, &five, &all};
        cudaKernelNodeParams q = {};
        q.func = (void*)fill;
        q.gridDim = dim3(1), q.blockDim = dim3(4), q.kernelParams = own;
        CHECK(cudaGraphAddKernelNode(&node, built, nullptr, 0, &q));
        five = 0, own[1] = nullptr;
    }
    cudaKernelNodeParams q = {};
    CHECK(cudaGraphKernelNodeGetParams(node, &q));
    printf("built %g\n", *(float*)q.kernelParams[1]);
    float *pitched, back[4] = {};
    size_t pitch;
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocPitch(&pitched, &pitch, 2 * sizeof(float), 2));
    CHECK(cudaMallocArray(&array, &format, 2, 2));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaMemcpy2DAsync(pitched, pitch, x, 8, 8, 2, cudaMemcpyDeviceToDevice, stream);
    cudaMemcpy2DToArrayAsync(array, 0, 0, pitched, pitch, 8, 2, cudaMemcpyDeviceToDevice, stream);
    cudaMemset2DAsync(pitched, pitch, 1, 4, 2, stream);
    CHECK(cudaStreamEndCapture(stream, &graph));
    n = 3;
    CHECK(cudaGraphGetNodes(graph, nodes.data(), &n));
    CHECK(cudaGraphMemcpyNodeGetParams(nodes[0], &copy));
    printf("rows %d %zu %zu %zu\n", copy.dstPtr.pitch == pitch, copy.srcPtr.pitch, copy.extent.width,
           copy.extent.height);
    copy.srcPtr.ptr = y;
    CHECK(cudaGraphMemcpyNodeSetParams(nodes[0], &copy));
    CHECK(cudaGraphMemcpyNodeGetParams(nodes[1], &copy));
    printf("array %d %d %zu\n", copy.dstArray == array, copy.dstPtr.ptr == nullptr, copy.extent.width);
    CHECK(cudaGraphMemsetNodeGetParams(nodes[2], &memset));
    printf("fill %d %zu %zu\n", memset.pitch == pitch, memset.width, memset.height);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy2DFromArray(back, 8, array, 0, 0, 8, 2, cudaMemcpyDeviceToHost));
    show("array", back);

    // Launches by address, of a kernel with the linkage of C, and aligned parameters.
    static_assert(alignof(Aligned) == 64, "");
    char c = 1;
    Aligned aligned = {20};
    void* by_address[] = {&c, &aligned, &k};
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = 1, configuration.blockDim = 1, configuration.stream = stream;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaLaunchKernel(of_c, 1, 1, by_address, 8, stream));
    CHECK(cudaLaunchKernel((void*)of_c, 1, 1, by_address, 8, stream));
    CHECK(cudaLaunchCooperativeKernel(of_c, 1, 1, by_address, 8, stream));
    CHECK(cudaLaunchKernelEx(&configuration, of_c, c, aligned, k));
    of_c<<<1, 1, 0, stream>>>(c, aligned, k);
    CHECK(cudaStreamEndCapture(stream, &graph));
    c = 0, aligned.x = 0, *k = 0;
    n = 5;
    CHECK(cudaGraphGetNodes(graph, nodes.data(), &n));
    for (size_t i = 0; i < n; ++i) {
        CHECK(cudaGraphKernelNodeGetParams(nodes[i], &q));
        printf("by address: %d, shared %u, %d %d %d at %zu\n", q.func == (void*)of_c, q.sharedMemBytes,
               *(char*)q.kernelParams[0], *(int*)q.kernelParams[1], *(int**)q.kernelParams[2] == k,
               (size_t)q.kernelParams[1] % 64);
        *(int*)q.kernelParams[1] = 30;
        CHECK(cudaGraphKernelNodeSetParams(nodes[i], &q));
    }
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("k %d\n", *k);
}
