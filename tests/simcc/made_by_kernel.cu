// SPDX-License-Identifier: MIT
// The host passes a kernel what an earlier kernel has made with new.
#include <cstdio>

struct Node {
    int value;
};
__global__ void make(Node** to) { *to = new Node{41}; }
__global__ void read(const Node* node, int* to) { *to = node->value + 1; }
__global__ void drop(Node* node) { delete node; }

int main() {
    Node **place, *node;
    int *d, result;
    cudaMalloc(&place, sizeof *place);
    cudaMalloc(&d, sizeof *d);
    make<<<1, 1>>>(place);
    cudaMemcpy(&node, place, sizeof node, cudaMemcpyDeviceToHost);
    read<<<1, 1>>>(node, d);
    drop<<<1, 1>>>(node);
    cudaMemcpy(&result, d, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("%d\n", result);
}
