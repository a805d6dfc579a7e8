// Memory of the device heap that is cleared at once: g++ makes calloc() of malloc() and memset() with zero.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void count_leftovers(int* leftovers, int n) {
    int* const dirty = static_cast<int*>(malloc(n * sizeof(int)));
    for (int i = 0; i < n; ++i) dirty[i] = i + 1;
    free(dirty);
    int* const cleared = static_cast<int*>(malloc(n * sizeof(int)));
    memset(cleared, 0, n * sizeof(int));
    int found = 0;
    for (int i = 0; i < n; ++i) found += cleared[i] != 0;
    atomicAdd(leftovers, found);
    free(cleared);
}

int main() {
    int *d_leftovers = nullptr, leftovers = 0;
    cudaMalloc(&d_leftovers, sizeof leftovers);
    cudaMemset(d_leftovers, 0, sizeof leftovers);
    count_leftovers<<<4, 64>>>(d_leftovers, 1000);
    std::printf("blocks cleared and freed: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaMemcpy(&leftovers, d_leftovers, sizeof leftovers, cudaMemcpyDefault);
    int* const on_host = static_cast<int*>(std::calloc(1000, sizeof(int)));
    int found = 0;
    for (int i = 0; i < 1000; ++i) found += on_host[i] != 0;
    std::free(on_host);
    cudaFree(d_leftovers);
    std::printf("in kernels %d, on the host %d\n", leftovers, found);
}
