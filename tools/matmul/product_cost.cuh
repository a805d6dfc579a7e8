// SPDX-License-Identifier: MIT
// What a product on Hopper costs besides the stages of its tiles: beginning, storing, and copies of its matrices. Rates
// are for each multiprocessor.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/cuda/device_info.hpp"
#include "common/cuda/launch_shape.cuh"
#include "common/io/dtype.hpp"
#include "tools/matmul/shape.hpp"

namespace BACKEND {

// What a product costs if a multiprocessor works on several tiles at once: until the first stage has arrived and from
// the last result on; each round of tiles; bytes of A and B from the memory and of C to it, for each multiprocessor and
// cycle; and the visible part of the shorter of multiplying and moving. (Fitted to 1030 tiles of products in f32 and
// 490 in f64 with aligned rows on an H100, the root of the mean square error 2.6 and 5 %; reading in f64 was made 5 %
// slower after 111 products on an H200.)
struct GroupsCost {
    double beginning, round, read_bytes_per_cycle, stored_bytes_per_cycle, visible_part;
    double stored_elements;  // bytes per cycle where rows of C begin anywhere (set by hand after four products in f32)
};

// The cycles until a multiprocessor has received 128 bytes of a row that begins at an odd multiple of 16 bytes: of A,
// of B, or of either if two blocks share it. (On H100s: A's in f64; tf32's in products of 2044 and 4092; those of 16
// bits in 190 products in bf16.)
struct UnalignedRowCost {
    double of_a = 4.5, of_b = 4, shared = 2.6;
};

// What a product of one type costs besides the stages, in cycles. (Fitted to more than 200 products of each type with
// all their tiles on an H200, the caches cold; but of 16 bits, stored_elements is from 15 products on an H100, and set
// by hand are, on H100s, bytes_per_cycle and visible_part after 1000 products, stored_pieces after three, and
// `cluster`, 1410 before, because 110 products took a tenth longer where blocks share k.)
struct ProductCost {
    double beginning;           // until the first stage has arrived, and from the last result on
    double tile_part;           // of a tile's fixed cycles, which are those of one tile after another,
    double per_result;          // and for each of its elements: what the last tile takes after its last stage
    double bytes_per_cycle;     // of A and B from the memory, for each multiprocessor
    double visible_part;        // of the shorter of multiplying and reading: the rest is hidden
    double cluster, multicast;  // of clusters whose blocks share k, or an operand
    // Bytes of C that each multiprocessor stores in a cycle, if rows begin at sectors of the L2 cache, at multiples of
    // 16 bytes, or elsewhere; and the visible part of the shorter of storing and the rest.
    double stored_sectors, stored_pieces, stored_elements, visible_storing;
    double copying,
        copied_bytes_per_cycle;  // copies of A and B to aligned rows: the launch, and for each multiprocessor
    UnalignedRowCost unaligned_row = {};
    GroupsCost groups = {};
    // A stage waits so much longer where rows of B have up to eight elements, and less in proportion where they have
    // more: all multiprocessors want the same few lines of the L2 cache. (Set by hand after 55 products in each type on
    // an H100; in 16 bits none waited.)
    double narrow_b = 0;
};
inline constexpr ProductCost cost_of_16_bit = {.beginning = 5200,
                                               .tile_part = 0.13,
                                               .per_result = 0.126,
                                               .bytes_per_cycle = 14,
                                               .visible_part = 0.1,
                                               .cluster = 2500,
                                               .multicast = 470,
                                               .stored_sectors = 97,
                                               .stored_pieces = 12,
                                               .stored_elements = 7.5,
                                               .visible_storing = 1,
                                               .copying = 4470,
                                               .copied_bytes_per_cycle = 5.5,
                                               .unaligned_row = {.of_a = 5, .of_b = 4.5, .shared = 2.1}},
                             cost_of_tf32 = {.beginning = 5500,
                                             .tile_part = 0.04,
                                             .per_result = 0.163,
                                             .bytes_per_cycle = 22.5,
                                             .visible_part = 0,
                                             .cluster = 3170,
                                             .multicast = 500,
                                             .stored_sectors = 13.6,
                                             .stored_pieces = 9,
                                             .stored_elements = 6.9,
                                             .visible_storing = 0.13,
                                             .copying = 3360,
                                             .copied_bytes_per_cycle = 7.6,
                                             .unaligned_row = {5.5, 5.5, 3},
                                             .narrow_b = 1000},
                             cost_of_f32 = {.beginning = 4880,
                                            .tile_part = 0.4,
                                            .per_result = 0.34,
                                            .bytes_per_cycle = 22,
                                            .visible_part = 0.21,
                                            .cluster = 1000,
                                            .multicast = 500,
                                            .stored_sectors = 100,
                                            .stored_pieces = 7,
                                            .stored_elements = 7,
                                            .visible_storing = 0.04,
                                            .copying = 2720,
                                            .copied_bytes_per_cycle = 8.4,
                                            .groups = {6590, 0, 21.9, 9.2, 0.44, 3},
                                            .narrow_b = 600},
                             cost_of_f64 = {.beginning = 6120,
                                            .tile_part = 0,
                                            .per_result = 0.28,
                                            .bytes_per_cycle = 21.8,
                                            .visible_part = 0.07,
                                            .cluster = 1000,
                                            .multicast = 500,
                                            .stored_sectors = 12.1,
                                            .stored_pieces = 5.7,
                                            .stored_elements = 4.5,
                                            .visible_storing = 0,
                                            .copying = 2340,
                                            .copied_bytes_per_cycle = 8,
                                            .groups = {5770, 580, 17.4, 10.5, 0.2, 4.2},
                                            .narrow_b = 220};

// What a stage waits longer because rows of B are short, see ProductCost, and so many blocks are at the same step.
inline double narrow_cycles(double narrow_b, const ProductShape& shape, size_t blocks, unsigned multiprocessors) {
    constexpr double narrow = 8;  // columns
    return narrow_b * std::min(1.0, narrow / double(shape.n)) * std::min(1.0, double(blocks) / multiprocessors);
}

// The speed of a device's memory; that of an H200 is 1. (The models of dots and of storing leave it out.)
inline double memory_speed(const DeviceInfo& device) {
    constexpr double h200_gbyte_per_s = 4815;
    return device.peak_gbyte_per_s > 0 ? device.peak_gbyte_per_s / h200_gbyte_per_s : 1;
}

// How many clusters of 1 to most_blocks blocks run at once if a multiprocessor holds 1 to most_resident blocks. The
// groups of multiprocessors, in which a cluster must fit, differ in size, and from card to card.
struct ClusterCounts {
    static constexpr unsigned most_blocks = 16, most_resident = 4;
    unsigned counts[most_resident][most_blocks] = {};
};

// What the models know of a device.
struct DeviceModel {
    unsigned multiprocessors;
    double memory_speed;  // see memory_speed()
    ClusterCounts clusters;

    // How many blocks run at once, in whole clusters, if a multiprocessor holds `resident` of them.
    unsigned blocks_at_once(unsigned cluster, unsigned resident = 1) const {
        if (cluster == 1) return multiprocessors * resident;
        const unsigned on_whole_device =
            clusters.counts[std::min(resident, ClusterCounts::most_resident) - 1][cluster - 1];
        return std::max(1U, std::min(on_whole_device, multiprocessors * resident / cluster)) * cluster;
    }
};

inline const ProductCost& product_cost_of(DType dtype) {
    return dtype == DType::f64    ? cost_of_f64
           : dtype == DType::f32  ? cost_of_f32
           : dtype == DType::tf32 ? cost_of_tf32
                                  : cost_of_16_bit;
}

// The longer of two activities at the same time, and the visible part of the shorter.
inline double overlapped(double one, double other, double visible_part) {
    return std::max(one, other) + visible_part * std::min(one, other);
}

// The cycles that reading A and B takes at least, at the rate of the best walk through a large matrix.
inline double least_reading_cycles(const ProductShape& shape, size_t element_bytes, const DeviceModel& device) {
    constexpr double bytes_per_cycle = 16.6;  // where the memory is an H200's
    const double elements = (double(shape.m) + double(shape.n)) * double(shape.k);
    return elements * double(element_bytes) / (bytes_per_cycle * device.memory_speed * device.multiprocessors);
}

// The bytes of C that a multiprocessor stores in a cycle, of the rates for rows that begin at sectors of the L2 cache,
// at multiples of 16 bytes, or elsewhere.
inline double stored_rate(const ProductShape& shape, bool c_transposed, size_t element_bytes, double sectors,
                          double pieces, double elements) {
    const size_t row = (c_transposed ? shape.m : shape.n) * element_bytes;
    return row % 32 == 0 ? sectors : row % 16 == 0 ? pieces : elements;
}

// The cycles that storing C takes at least.
inline double results_cycles(const ProductShape& shape, bool c_transposed, size_t element_bytes,
                             const ProductCost& cost, unsigned multiprocessors) {
    const double rate =
        stored_rate(shape, c_transposed, element_bytes, cost.stored_sectors, cost.stored_pieces, cost.stored_elements);
    return double(shape.m) * double(shape.n) * double(element_bytes) / (rate * multiprocessors);
}

// The cycles that a batch takes at least to begin and to store all results, which only products of few steps along k
// notice. (Rates for each multiprocessor, from ten products of each type on an H200.)
inline double storing_cycles(const ProductShape& shape, bool c_transposed, size_t products, size_t element_bytes,
                             unsigned multiprocessors) {
    constexpr size_t sector = 32;  // of the L2 cache
    constexpr double beginning = 2500;
    const bool is_aligned = (c_transposed ? shape.m : shape.n) * element_bytes % sector == 0;
    const double bytes_per_cycle = element_bytes == 2   ? (is_aligned ? 9 : 7)
                                   : !is_aligned        ? 8
                                   : element_bytes == 4 ? 13.5
                                                        : 14.5;
    const double bytes = double(shape.m) * double(shape.n) * double(products) * double(element_bytes);
    return beginning + bytes / (bytes_per_cycle * multiprocessors);
}

// The cost of transposing a matrix before the product: the launch, and bytes for each multiprocessor.
struct TransposingCost {
    static constexpr double launch_cycles = 6500;
    static constexpr double bytes_per_cycle(size_t element_bytes) {
        return element_bytes == 8 ? 8 : 1.45 * double(element_bytes);
    }
};

// The cycles of the copies that a product needs before TMA can load its tiles. They are one launch.
inline double copying_cycles(const ProductShape& shape, const Transposes& stored, size_t element_bytes,
                             const ProductCost& cost, const DeviceModel& device) {
    constexpr size_t tma_alignment = 16, copied_row = 128;  // a copy's rows begin at cache lines
    const auto bytes_of = [&](size_t rows, size_t columns) {
        const size_t row = columns * element_bytes;
        const double read_and_written = double(row + divide_up(row, copied_row) * copied_row) / 2;
        return row % tma_alignment == 0 ? 0 : double(rows) * read_and_written;
    };
    const double bytes = (stored.a ? bytes_of(shape.k, shape.m) : bytes_of(shape.m, shape.k)) +
                         (stored.b ? bytes_of(shape.n, shape.k) : bytes_of(shape.k, shape.n));
    constexpr double cached_bytes = 30e6;
    const double rate = cost.copied_bytes_per_cycle * (bytes > cached_bytes ? device.memory_speed : 1);
    return bytes > 0 ? cost.copying + bytes / (rate * device.multiprocessors) : 0;
}

}  // namespace BACKEND
