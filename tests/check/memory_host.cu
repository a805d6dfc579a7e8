// SPDX-License-Identifier: MIT
// Mistakes of the host, and the same programs without them.
#include "cases.cuh"

constexpr size_t n = 256, bytes = n * sizeof(int);
int host[2 * n];

__global__ void fill(int* out) { out[threadIdx.x] = 1; }
__global__ void keep(int** out) { out[0] = static_cast<int*>(malloc(16)); }
__global__ void drop(int** out) { free(out[0]); }
__global__ void keep_new(int** out) { out[0] = new int[4]; }
__global__ void drop_new(int** out) { delete[] out[0]; }

int* device() {
    int* array;
    cudaMalloc(&array, bytes);
    return array;
}

void wrong_kind(bool fixed) {
    int* const d = device();
    fill<<<1, n>>>(d);
    // @wrong-kind Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaMemcpy.
    cudaMemcpy(host, d, bytes, fixed ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
    cudaFree(d);
}

void too_many_bytes(bool fixed) {
    int* const d = device();
    // @too-many-bytes Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to
    cudaMemcpy(d, host, fixed ? bytes : 2 * bytes, cudaMemcpyHostToDevice);
    cudaFree(d);
}

void free_twice(bool fixed) {
    int* const d = device();
    cudaFree(d);
    // @free-twice Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaFree.
    if (!fixed) cudaFree(d);
}

void too_many_threads(bool fixed) {
    int* const d = device();
    // @too-many-threads Program hit cudaErrorInvalidConfiguration (error 9) due to "invalid configuration argument" on
    fill<<<1, fixed ? n : 2048>>>(d);
    cudaFree(d);
}

void too_much_shared(bool fixed) {
    int* const d = device();
    // @too-much-shared Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to
    fill<<<1, n, fixed ? 1024 : 100 << 10>>>(d);
    cudaFree(d);
}

void copy_back(bool fixed) {
    int* const d = device();
    cudaMemset(d, 0, fixed ? bytes : bytes / 2);
    // @copy-back Host API memory access error at host access to
    cudaMemcpy(host, d, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d);
}

// Its padding need not be written: four bytes behind `key`, three behind `state`.
struct Entry {
    int key;
    double value;
    short first, count;
    char state;
};

__global__ void fill_entries(Entry* entries, bool all) {
    Entry& entry = entries[threadIdx.x];
    entry.key = 1;
    if (all) entry.value = 2;
    entry.first = entry.count = 3;
    entry.state = 4;
}

void copy_structures(bool fixed) {
    static Entry entries[n];
    Entry* d;
    cudaMalloc(&d, sizeof entries);
    fill_entries<<<1, n>>>(d, fixed);
    // @copy-structures Host API memory access error at host access to
    cudaMemcpy(entries, d, sizeof entries, cudaMemcpyDeviceToHost);
    cudaFree(d);
}

__global__ void fill_every(int* out, int step) { out[step * threadIdx.x] = 1; }

void copy_every_second(bool fixed) {
    int* const d = device();
    fill_every<<<1, fixed ? n : n / 2>>>(d, fixed ? 1 : 2);
    // @copy-every-second Host API memory access error at host access to
    cudaMemcpy(host, d, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d);
}

void dereference(bool fixed) {
    int* d;
    if (fixed) {
        cudaMallocManaged(&d, bytes);
    } else {
        d = device();
    }
    // @dereference Invalid host write of size 4 bytes
    d[1] = 1;
    cudaFree(d);
}

__device__ int variable[n];
void symbol_address(bool fixed) {
    // @symbol-address Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to
    if (!fixed) cudaMemcpy(variable, host, bytes, cudaMemcpyHostToDevice);
    if (fixed) cudaMemcpyToSymbol(variable, host, bytes);
}

void leak(bool fixed) {
    int* d;
    // @leak Leaked 1,024 bytes at
    cudaMalloc(&d, bytes);
    if (fixed) cudaFree(d);
}

void heap_leak(bool fixed) {
    int** d;
    cudaMalloc(&d, sizeof *d);
    // @heap-leak Leaked 16 bytes at
    keep<<<1, 1>>>(d);
    if (fixed) drop<<<1, 1>>>(d);
    cudaFree(d);
}

void new_leak(bool fixed) {
    int** d;
    cudaMalloc(&d, sizeof *d);
    // @new-leak Leaked 16 bytes at
    keep_new<<<1, 1>>>(d);
    if (fixed) drop_new<<<1, 1>>>(d);
    cudaFree(d);
}

void unused(bool fixed) {
    int* d;
    cudaMalloc(&d, bytes);
    fill<<<1, fixed ? n : n / 2>>>(d);
    cudaFree(d);
}

const Case cases[] = {{"wrong-kind", wrong_kind},
                      {"too-many-bytes", too_many_bytes},
                      {"free-twice", free_twice},
                      {"too-many-threads", too_many_threads},
                      {"too-much-shared", too_much_shared},
                      {"copy-back", copy_back},
                      {"copy-structures", copy_structures},
                      {"copy-every-second", copy_every_second},
                      {"dereference", dereference},
                      {"symbol-address", symbol_address},
                      {"leak", leak},
                      {"heap-leak", heap_leak},
                      {"new-leak", new_leak},
                      {"unused", unused}};

int main(int argc, char** argv) { return run_case(cases, argc, argv); }
