// SPDX-License-Identifier: MIT
//! plant: tile-reuse-no-barrier, row 27
//! defect: a tile is filled again while it is still read
//! tool: racecheck, since 11.0
//! report: Error: Race reported between (Read|Write) access at .*
//! bare: wrong or right result
//! simulator: Y
//! hint 1: Sometimes elements of the product are wrong.
//! hint 2: There is a barrier between filling the tile and reading it.
//! hint 3: What is there between reading it and filling it again?
//! cure: A loop over tiles needs two barriers: one before the tile is read, one before it is overwritten.
//! note: A warp that is ahead fills the tiles for the next step while another warp is still reading them.
#include "kernels/memcheckdemo/textbook.cuh"

const int tile_size = 16, matrix_size = 32;

// The product of two matrices, in tiles.
__global__ void product(const int* a, const int* b, int* c) {
    __shared__ int tile_a[tile_size][tile_size], tile_b[tile_size][tile_size];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * tile_size + y, column = blockIdx.x * tile_size + x;
    int sum = 0;
    for (int k = 0; k < matrix_size; k += tile_size) {
        tile_a[y][x] = a[row * matrix_size + k + x], tile_b[y][x] = b[(k + y) * matrix_size + column];  //! here
        __syncthreads();
        for (int i = 0; i < tile_size; ++i) sum += tile_a[y][i] * tile_b[i][x];  //! here
#if !FAULTY
        __syncthreads();
#endif
    }
    c[row * matrix_size + column] = sum;
}

// One matrix after the other.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    const int* d_second = d_in + matrix_size * matrix_size;
    product<<<dim3(2, 2), dim3(tile_size, tile_size)>>>(d_in, d_second, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(2 * matrix_size * matrix_size, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    const int n = matrix_size;
    std::vector<int> right(n * n);
    for (int i = 0; i < n * n; ++i)
        for (int k = 0; k < n; ++k) right[i] += in[i / n * n + k] * in[n * n + k * n + i % n];
    return right;
}
