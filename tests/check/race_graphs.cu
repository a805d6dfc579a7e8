// SPDX-License-Identifier: MIT
// The nodes of a graph are ordered by its edges alone; to all else, they come where the graph is launched.
#include "cases.cuh"

__global__ void store_early(int* values) { values[threadIdx.x] = 1; }  // @kernels Error: Race reported
__global__ void store_late(int* values) { values[threadIdx.x] = 2; }   // @kernels
__global__ void store_beside_fill(int* values) {
    values[threadIdx.x] = 1;  // @kernel-and-fill Error: Race reported between a kernel and an operation of another stream
}
__global__ void store_in_graph(int* values) { values[threadIdx.x] = 1; }       // @graph-and-kernel Error: Race reported
__global__ void store_in_other_stream(int* values) { values[threadIdx.x] = 2; }  // @graph-and-kernel

__global__ void store_as_child(int* values) { values[threadIdx.x] = 3; }  // @child-of-node Error: Race reported
__global__ void store_as_parent(int* values) {
    if (threadIdx.x == 0) store_as_child<<<1, 32>>>(values);
}
__global__ void store_after_parent(int* values) { values[threadIdx.x] = 4; }  // @child-of-node

cudaGraphNode_t add(cudaGraph_t graph, void (*kernel)(int*), int* values, const cudaGraphNode_t* after) {
    void* arguments[] = {&values};
    cudaKernelNodeParams node = {};
    node.func = reinterpret_cast<void*>(kernel);
    node.gridDim = dim3(1);
    node.blockDim = dim3(32);
    node.kernelParams = arguments;
    cudaGraphNode_t added = nullptr;
    cudaGraphAddKernelNode(&added, graph, after, after ? 1 : 0, &node);
    return added;
}

cudaGraph_t new_graph() {
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    cudaDeviceSynchronize();
    return graph;
}

void launch(cudaGraph_t graph, cudaStream_t stream = nullptr) {
    cudaGraphExec_t executable = nullptr;
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
}

void kernels(bool fixed) {
    int* const values = device_array<int>(32);
    const cudaGraph_t graph = new_graph();
    const cudaGraphNode_t first = add(graph, store_early, values, nullptr);
    cudaGraphNode_t between = nullptr;
    cudaGraphAddEmptyNode(&between, graph, &first, 1);
    add(graph, store_late, values, fixed ? &between : nullptr);
    launch(graph);
}

void kernel_and_fill(bool fixed) {
    int* const values = device_array<int>(32);
    const cudaGraph_t graph = new_graph();
    cudaMemsetParams fill = {};
    fill.dst = values;
    fill.elementSize = 4;
    fill.width = 32;
    fill.height = 1;
    cudaGraphNode_t first = nullptr;
    cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &fill);
    add(graph, store_beside_fill, values, fixed ? &first : nullptr);
    launch(graph);
}

void graph_and_kernel(bool fixed) {
    int* const values = device_array<int>(32);
    const cudaGraph_t graph = new_graph();
    add(graph, store_in_graph, values, nullptr);
    cudaStream_t one = nullptr, other = nullptr;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    launch(graph, one);
    store_in_other_stream<<<1, 32, 0, fixed ? one : other>>>(values);
}

void child_of_node(bool fixed) {
    int* const values = device_array<int>(32);
    const cudaGraph_t graph = new_graph();
    const cudaGraphNode_t parent = add(graph, store_as_parent, values, nullptr);
    add(graph, store_after_parent, values, fixed ? &parent : nullptr);
    launch(graph);
}

constexpr Case cases[] = {
    {"kernels", kernels},
    {"kernel-and-fill", kernel_and_fill},
    {"graph-and-kernel", graph_and_kernel},
    {"child-of-node", child_of_node},
};

int main(int argc, char** argv) { return run_case(cases, argc, argv); }
