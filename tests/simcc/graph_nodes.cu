// SPDX-License-Identifier: MIT
// Graphs that allocate and free memory, and graphs whose parts run as often as kernels say.
#include <cstdio>

__global__ void fill(int* out, int value) { out[threadIdx.x] = value + threadIdx.x; }
__global__ void add(int* to, const int* from) { to[threadIdx.x] += from[threadIdx.x]; }
__global__ void count(cudaGraphConditionalHandle handle, int* left, int* rounds) {
    *rounds += 1;
    cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void choose(cudaGraphConditionalHandle handle, const int* choice) {
    cudaGraphSetConditional(handle, *choice);
}
__global__ void note(int* out, int value) { *out = value; }

#define NAMED(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

int main() {
    int* result;
    cudaMallocManaged(&result, 32 * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    // Allocated and freed in the graph, node by node.
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t nodes[4];
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
    memory.bytesize = 32 * sizeof(int);
    cudaGraphAddMemAllocNode(&nodes[0], graph, nullptr, 0, &memory);
    int* inside = static_cast<int*>(memory.dptr);
    int value = 100;
    void* fill_arguments[] = {&inside, &value};
    void* add_arguments[] = {&result, &inside};
    cudaKernelNodeParams kernel = {};
    kernel.gridDim = dim3(1), kernel.blockDim = dim3(32);
    kernel.func = (void*)fill, kernel.kernelParams = fill_arguments;
    cudaGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &kernel);
    kernel.func = (void*)add, kernel.kernelParams = add_arguments;
    cudaGraphAddKernelNode(&nodes[2], graph, &nodes[1], 1, &kernel);
    cudaGraphAddMemFreeNode(&nodes[3], graph, &nodes[2], 1, inside);
    void* freed = nullptr;
    cudaGraphMemFreeNodeGetParams(nodes[3], &freed);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
    NAMED(cudaStreamSynchronize(stream));
    printf("sums %d %d, freed what was allocated: %d\n", result[0], result[31], freed == inside);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);

    // Captured, and freed after the graph.
    int* kept;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&kept, 32 * sizeof(int), stream);
    fill<<<1, 32, 0, stream>>>(kept, 7);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    NAMED(cudaGraphLaunch(executable, stream));
    add<<<1, 32, 0, stream>>>(result, kept);
    NAMED(cudaFreeAsync(kept, stream));
    NAMED(cudaGraphLaunch(executable, stream));
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    add<<<1, 32, 0, stream>>>(result, kept);  // it lives longer than its graph
    cudaStreamSynchronize(stream);
    printf("sums %d %d\n", result[0], result[31]);
    NAMED(cudaFree(kept));
    unsigned long long bytes = 1;
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes);
    printf("bytes in use: %llu\n", bytes);

    // While: a body that runs until its kernel says stop.
    int *left, *rounds;
    cudaMallocManaged(&left, sizeof *left);
    cudaMallocManaged(&rounds, sizeof *rounds);
    *left = 5, *rounds = 0;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams loop = {};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = handle;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node;
    cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop);
    cudaGraph_t body = loop.conditional.phGraph_out[0];
    cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    count<<<1, 1, 0, stream>>>(handle, left, rounds);
    cudaStreamEndCapture(stream, nullptr);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    NAMED(cudaStreamSynchronize(stream));
    printf("rounds %d, left %d\n", *rounds, *left);
    *left = 2;
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    printf("rounds %d, left %d\n", *rounds, *left);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);

    // If, and switch.
    for (int type = 0; type < 2; ++type) {
        cudaGraphCreate(&graph, 0);
        cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
        cudaGraphNode_t first;
        void* arguments[] = {&handle, &left};
        kernel.blockDim = dim3(1), kernel.func = (void*)choose, kernel.kernelParams = arguments;
        cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel);
        cudaGraphNodeParams branch = {};
        branch.type = cudaGraphNodeTypeConditional;
        branch.conditional.handle = handle;
        branch.conditional.type = type ? cudaGraphCondTypeSwitch : cudaGraphCondTypeIf;
        branch.conditional.size = type ? 3 : 1;
        cudaGraphAddNode(&node, graph, &first, nullptr, 1, &branch);
        for (int i = 0; i < (type ? 3 : 1); ++i) {
            int told = type * 100 + i + 10;
            void* note_arguments[] = {&rounds, &told};
            kernel.func = (void*)note, kernel.kernelParams = note_arguments;
            cudaGraphAddKernelNode(&first, branch.conditional.phGraph_out[i], nullptr, 0, &kernel);
        }
        cudaGraphInstantiate(&executable, graph, 0);
        for (int choice = 0; choice < 4; ++choice) {
            *left = choice, *rounds = -1;
            cudaGraphLaunch(executable, stream);
            cudaStreamSynchronize(stream);
            printf("%d ", *rounds);
        }
        printf("\n");
        cudaGraphExecDestroy(executable);
        cudaGraphDestroy(graph);
    }
    NAMED(cudaDeviceSynchronize());
}
