// SPDX-License-Identifier: MIT
// Items that a flag, an operator or their neighbor selects, in their order.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../simt/cub_device.hpp"
#include "../thread/thread_operators.cuh"

CUB_NAMESPACE_OPEN
namespace simt_parts {

/// Each chunk counts what it selects, then the chunks get their places, then they copy. is_selected(i, inputs...) says
/// whether item i is; put(i, place, outputs...) copies it; reject(i, place, ...) has the rest, if that is wanted.
/// In place there is one chunk: a chunk could write where another still reads.
template <typename Selected, typename Put, typename NumSelected, typename... Iterators>
cudaError_t select(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, int64_t n, bool is_in_place,
                   Selected is_selected, Put put, NumSelected d_num_selected, cudaStream_t stream,
                   Iterators... iterators) {
    const Chunks chunks(n, is_in_place ? (n > 0 ? n : 1) : Chunks::least_items);
    TemporaryStorage storage(d_temp_storage);
    int64_t* const counts = storage.take<int64_t>(chunks.count);
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error)) return error;
    if (chunks.count > 1) {
        error = run_chunks(
            name, chunks.count, stream,
            [chunks, is_selected](unsigned chunk, int64_t* to, auto... in) mutable {
                int64_t count = 0;
                for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) count += is_selected(i, in...);
                to[chunk] = count;
            },
            counts, iterators...);
        if (error != cudaSuccess) return error;
        error = run_once(
            name, stream,
            [chunks](int64_t* places, auto num_selected) {
                int64_t total = 0;
                for (unsigned i = 0; i < chunks.count; ++i) {
                    const int64_t count = places[i];
                    places[i] = total;
                    total += count;
                }
                *num_selected = total;
            },
            counts, d_num_selected);
        if (error != cudaSuccess) return error;
    }
    return run_chunks(
        name, chunks.count, stream,
        [chunks, is_selected, put](unsigned chunk, int64_t* places, auto num_selected, auto... in) mutable {
            int64_t place = chunks.count > 1 ? places[chunk] : 0;
            for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
                const bool takes = is_selected(i, in...);
                put(i, takes, takes ? place : i - place, in...);
                place += takes;
            }
            if (chunks.count == 1) *num_selected = place;
        },
        counts, d_num_selected, iterators...);
}

}  // namespace simt_parts

class DeviceSelect {
    static auto every_flag() {
        return [](const auto& flag) { return static_cast<bool>(flag); };
    }

public:
    template <typename Input, typename Flags, typename Output, typename NumSelected>
    static cudaError_t Flagged(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Flags d_flags,
                               Output d_out, NumSelected d_num_selected_out, int64_t num_items,
                               cudaStream_t stream = nullptr) {
        return flagged(false, d_temp_storage, temp_storage_bytes, d_in, d_flags, d_out, d_num_selected_out, num_items,
                       every_flag(), stream);
    }
    template <typename Iterator, typename Flags, typename NumSelected>
    static cudaError_t Flagged(void* d_temp_storage, size_t& temp_storage_bytes, Iterator d_data, Flags d_flags,
                               NumSelected d_num_selected_out, int64_t num_items, cudaStream_t stream = nullptr) {
        return flagged(true, d_temp_storage, temp_storage_bytes, d_data, d_flags, d_data, d_num_selected_out, num_items,
                       every_flag(), stream);
    }
    template <typename Input, typename Flags, typename Output, typename NumSelected, typename SelectOp>
    static cudaError_t FlaggedIf(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Flags d_flags,
                                 Output d_out, NumSelected d_num_selected_out, int64_t num_items, SelectOp select_op,
                                 cudaStream_t stream = nullptr) {
        return flagged(false, d_temp_storage, temp_storage_bytes, d_in, d_flags, d_out, d_num_selected_out, num_items,
                       select_op, stream);
    }
    template <typename Iterator, typename Flags, typename NumSelected, typename SelectOp>
    static cudaError_t FlaggedIf(void* d_temp_storage, size_t& temp_storage_bytes, Iterator d_data, Flags d_flags,
                                 NumSelected d_num_selected_out, int64_t num_items, SelectOp select_op,
                                 cudaStream_t stream = nullptr) {
        return flagged(true, d_temp_storage, temp_storage_bytes, d_data, d_flags, d_data, d_num_selected_out, num_items,
                       select_op, stream);
    }

    template <typename Input, typename Output, typename NumSelected, typename SelectOp>
    static cudaError_t If(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                          NumSelected d_num_selected_out, int64_t num_items, SelectOp select_op,
                          cudaStream_t stream = nullptr) {
        return select_if(false, d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out, num_items,
                         select_op, stream);
    }
    template <typename Iterator, typename NumSelected, typename SelectOp>
    static cudaError_t If(void* d_temp_storage, size_t& temp_storage_bytes, Iterator d_data,
                          NumSelected d_num_selected_out, int64_t num_items, SelectOp select_op,
                          cudaStream_t stream = nullptr) {
        return select_if(true, d_temp_storage, temp_storage_bytes, d_data, d_data, d_num_selected_out, num_items,
                         select_op, stream);
    }

    /// The first of each run of equal items.
    template <typename Input, typename Output, typename NumSelected>
    static cudaError_t Unique(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                              NumSelected d_num_selected_out, int64_t num_items, cudaStream_t stream = nullptr) {
        return simt_parts::select(
            "cub::DeviceSelect::Unique", d_temp_storage, temp_storage_bytes, num_items, false,
            [](int64_t i, auto in, auto) { return i == 0 || !(in[i] == in[i - 1]); },
            [](int64_t i, bool takes, int64_t place, auto in, auto out) {
                if (takes) out[place] = in[i];
            },
            d_num_selected_out, stream, d_in, d_out);
    }
    template <typename KeysInput, typename ValuesInput, typename KeysOutput, typename ValuesOutput,
              typename NumSelected, typename NumItems, typename Equal,
              typename = std::enable_if_t<!std::is_pointer_v<Equal>>>
    static cudaError_t UniqueByKey(void* d_temp_storage, size_t& temp_storage_bytes, KeysInput d_keys_in,
                                   ValuesInput d_values_in, KeysOutput d_keys_out, ValuesOutput d_values_out,
                                   NumSelected d_num_selected_out, NumItems num_items, Equal equality_op,
                                   cudaStream_t stream = nullptr) {
        return simt_parts::select(
            "cub::DeviceSelect::UniqueByKey", d_temp_storage, temp_storage_bytes, num_items, false,
            [equality_op](int64_t i, auto keys, auto, auto, auto) mutable {
                return i == 0 || !equality_op(keys[i], keys[i - 1]);
            },
            [](int64_t i, bool takes, int64_t place, auto keys, auto values, auto keys_out, auto values_out) {
                if (!takes) return;
                keys_out[place] = keys[i];
                values_out[place] = values[i];
            },
            d_num_selected_out, stream, d_keys_in, d_values_in, d_keys_out, d_values_out);
    }
    template <typename KeysInput, typename ValuesInput, typename KeysOutput, typename ValuesOutput,
              typename NumSelected, typename NumItems>
    static cudaError_t UniqueByKey(void* d_temp_storage, size_t& temp_storage_bytes, KeysInput d_keys_in,
                                   ValuesInput d_values_in, KeysOutput d_keys_out, ValuesOutput d_values_out,
                                   NumSelected d_num_selected_out, NumItems num_items, cudaStream_t stream = nullptr) {
        return UniqueByKey(d_temp_storage, temp_storage_bytes, d_keys_in, d_values_in, d_keys_out, d_values_out,
                           d_num_selected_out, num_items, Equality(), stream);
    }

private:
    template <typename Input, typename Flags, typename Output, typename NumSelected, typename SelectOp>
    static cudaError_t flagged(bool is_in_place, void* d_temp_storage, size_t& temp_storage_bytes, Input d_in,
                               Flags d_flags, Output d_out, NumSelected d_num_selected_out, int64_t num_items,
                               SelectOp select_op, cudaStream_t stream) {
        return simt_parts::select(
            "cub::DeviceSelect::Flagged", d_temp_storage, temp_storage_bytes, num_items, is_in_place,
            [select_op](int64_t i, auto, auto flags, auto) mutable { return static_cast<bool>(select_op(flags[i])); },
            [](int64_t i, bool takes, int64_t place, auto in, auto, auto out) {
                if (takes) out[place] = in[i];
            },
            d_num_selected_out, stream, d_in, d_flags, d_out);
    }
    template <typename Input, typename Output, typename NumSelected, typename SelectOp>
    static cudaError_t select_if(bool is_in_place, void* d_temp_storage, size_t& temp_storage_bytes, Input d_in,
                                 Output d_out, NumSelected d_num_selected_out, int64_t num_items, SelectOp select_op,
                                 cudaStream_t stream) {
        return simt_parts::select(
            "cub::DeviceSelect::If", d_temp_storage, temp_storage_bytes, num_items, is_in_place,
            [select_op](int64_t i, auto in, auto) mutable { return static_cast<bool>(select_op(in[i])); },
            [](int64_t i, bool takes, int64_t place, auto in, auto out) {
                if (takes) out[place] = in[i];
            },
            d_num_selected_out, stream, d_in, d_out);
    }
};

CUB_NAMESPACE_CLOSE
