// SPDX-License-Identifier: MIT
// A function of each item, or of each index.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../simt/cub_device.hpp"

CUB_NAMESPACE_OPEN

struct DeviceFor {
    template <typename Shape, typename Op>
    static cudaError_t Bulk(Shape shape, Op op, cudaStream_t stream = nullptr) {
        if (shape <= Shape(0)) return cudaSuccess;
        const simt_parts::Chunks chunks(static_cast<int64_t>(shape), 256);
        return simt_parts::run_chunks("cub::DeviceFor::Bulk", chunks.count, stream,
                                      [chunks, op](unsigned chunk) mutable {
                                          for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
                                              op(static_cast<Shape>(i));
                                      });
    }
    template <typename Iterator, typename NumItems, typename Op,
              typename = std::enable_if_t<std::is_integral_v<NumItems>>>
    static cudaError_t ForEachN(Iterator first, NumItems num_items, Op op, cudaStream_t stream = nullptr) {
        if (num_items <= NumItems(0)) return cudaSuccess;
        const simt_parts::Chunks chunks(static_cast<int64_t>(num_items), 256);
        return simt_parts::run_chunks(
            "cub::DeviceFor::ForEach", chunks.count, stream,
            [chunks, op](unsigned chunk, auto items) mutable {
                for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) op(items[i]);
            },
            first);
    }
    template <typename Iterator, typename Op>
    static cudaError_t ForEach(Iterator first, Iterator last, Op op, cudaStream_t stream = nullptr) {
        return ForEachN(first, static_cast<int64_t>(last - first), op, stream);
    }
    template <typename Iterator, typename NumItems, typename Op>
    static cudaError_t ForEachCopyN(Iterator first, NumItems num_items, Op op, cudaStream_t stream = nullptr) {
        using Value = simt_parts::ValueOf<Iterator>;
        return ForEachN(
            first, num_items, [op](const Value& value) mutable { op(Value(value)); }, stream);
    }
    template <typename Iterator, typename Op>
    static cudaError_t ForEachCopy(Iterator first, Iterator last, Op op, cudaStream_t stream = nullptr) {
        return ForEachCopyN(first, static_cast<int64_t>(last - first), op, stream);
    }

    // ---- with temporary storage, of which they need none

    template <typename Shape, typename Op>
    static cudaError_t Bulk(void* d_temp_storage, size_t& temp_storage_bytes, Shape shape, Op op,
                            cudaStream_t stream = nullptr) {
        return d_temp_storage ? Bulk(shape, op, stream) : ask(temp_storage_bytes);
    }
    template <typename Iterator, typename NumItems, typename Op>
    static cudaError_t ForEachN(void* d_temp_storage, size_t& temp_storage_bytes, Iterator first, NumItems num_items,
                                Op op, cudaStream_t stream = nullptr) {
        return d_temp_storage ? ForEachN(first, num_items, op, stream) : ask(temp_storage_bytes);
    }
    template <typename Iterator, typename Op>
    static cudaError_t ForEach(void* d_temp_storage, size_t& temp_storage_bytes, Iterator first, Iterator last, Op op,
                               cudaStream_t stream = nullptr) {
        return d_temp_storage ? ForEach(first, last, op, stream) : ask(temp_storage_bytes);
    }

private:
    static cudaError_t ask(size_t& bytes) {
        bytes = 1;
        return cudaSuccess;
    }
};

CUB_NAMESPACE_CLOSE
