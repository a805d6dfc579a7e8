// SPDX-License-Identifier: MIT
// The hardware that the simulator presents: the limits of compute capability 9.0, as the CUDA programming guide lists
// them, with as many multiprocessors as there are worker threads.
#pragma once

#include <cstddef>

#include "common/simt/include/simt/configuration.hpp"

namespace simt {

constexpr int warp_size = 32;
constexpr unsigned max_threads_per_block = 1024;
constexpr Extent max_block = {1024, 1024, 64};
constexpr Extent max_grid = {2147483647, 65535, 65535};
constexpr int max_threads_per_multiprocessor = 2048;
constexpr int max_blocks_per_multiprocessor = 32;
constexpr int registers_per_multiprocessor = 65536;
constexpr size_t shared_bytes_per_block = 48 << 10;  // without cudaFuncSetAttribute
constexpr size_t shared_bytes_per_block_optin = 227 << 10;
constexpr size_t shared_bytes_per_multiprocessor = 228 << 10;
constexpr size_t reserved_shared_bytes_per_block = 1 << 10;
constexpr size_t shared_granularity = 128;     // a block's shared memory is a multiple of this many bytes
constexpr int registers_per_thread = 32;       // assumed for every kernel: g++ does not allocate GPU registers
constexpr unsigned most_nested_launches = 24;  // a launch by the host has depth 0
constexpr size_t default_pending_launches = 2048;
constexpr int greatest_stream_priority = -5, least_stream_priority = 0;

// For textures in linear memory, the address and the distance between two rows are multiples of these bytes.
constexpr size_t texture_alignment = 512;
constexpr size_t texture_pitch_alignment = 32;
constexpr size_t max_texture_1d = 131072, max_texture_1d_linear = 268435456;  // texels
constexpr size_t max_texture_2d[] = {131072, 65536};
constexpr size_t max_texture_2d_linear[] = {131072, 65000, 2097120};  // the last in bytes
constexpr size_t max_texture_3d = 16384;                              // of each extent

int multiprocessor_count();
int pci_bus(int device);

// How many blocks of this size fit on one multiprocessor at a time; 0 if a single one is too large.
int resident_blocks(int block_size, size_t shared_bytes);

}  // namespace simt
