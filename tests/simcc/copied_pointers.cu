// SPDX-License-Identifier: MIT
// Pointers in device memory: copies of host pointers lead nowhere in kernels, and come back as they were.
#include <cstdio>
#include <cstdlib>

struct Node {
    int value;
    Node* next;
    int* data;
};

__global__ void follow(int** list, int* out) { *out = list[0][1] + list[1][1]; }
__global__ void walk(const Node* nodes, int* out) {
    int sum = 0;
    for (const Node* node = nodes; node; node = node->next) sum += node->value;
    *out = sum;
}
__global__ void reverse(Node* nodes) {
    const Node first = nodes[0];
    nodes[0] = nodes[1];
    nodes[1] = first;
}

int* out;
void tell(const char* what) {
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s: ", what);
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorName(error));
        exit(0);
    }
    printf("%d\n", *out);
}

int main(int, char** arguments) {
    const int chosen = atoi(arguments[1]);
    int *device, host[2] = {1, 2}, **list;
    Node* nodes;
    cudaMallocManaged(&out, sizeof(int));
    cudaMalloc(&device, sizeof host);
    cudaMalloc(&list, 2 * sizeof(int*));
    cudaMalloc(&nodes, 2 * sizeof(Node));
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);

    int* pointers[2] = {device, device};
    cudaMemcpy(list, pointers, sizeof pointers, cudaMemcpyHostToDevice);
    follow<<<1, 1>>>(list, out), tell("device");
    Node chain[2] = {{3, nodes + 1, host}, {4, nullptr, host + 1}}, back[2];
    cudaMemcpy(nodes, chain, sizeof chain, cudaMemcpyHostToDevice);
    walk<<<1, 1>>>(nodes, out), tell("nodes");
    reverse<<<1, 1>>>(nodes);
    cudaMemcpy(back, nodes, sizeof back, cudaMemcpyDeviceToHost);
    printf("back: %d %d\n", *back[0].data, *back[1].data);

    pointers[1] = host;
    cudaMemcpy(list, pointers, sizeof pointers, cudaMemcpyHostToDevice);
    if (chosen == 0) follow<<<1, 1>>>(list, out), tell("host");
    chain[0].next = &chain[1];
    cudaMemcpy(nodes, chain, sizeof chain, cudaMemcpyHostToDevice);
    if (chosen == 1) walk<<<1, 1>>>(nodes, out), tell("host");
}
