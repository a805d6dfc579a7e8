// SPDX-License-Identifier: MIT
// Counts of samples by the bin that they are in.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../simt/cub_device.hpp"
#include "../thread/thread_search.cuh"

CUB_NAMESPACE_OPEN
namespace simt_parts {

/// Bins of equal width in [lower, upper).
template <typename Level>
struct EvenBins {
    int count;
    Level lower, upper;

    template <typename Sample>
    SIMT_INLINE int of(const Sample& sample) const {
        using Common = std::common_type_t<Level, Sample>;
        const Common value = static_cast<Common>(sample), first = static_cast<Common>(lower);
        if (value < first || !(value < static_cast<Common>(upper))) return -1;
        if constexpr (std::is_integral_v<Common>) {
            const auto range = static_cast<unsigned long long>(static_cast<Common>(upper) - first);
            const auto distance = static_cast<unsigned long long>(value - first);
            return static_cast<int>(static_cast<unsigned __int128>(distance) * static_cast<unsigned>(count) / range);
        } else {
            const Common scale = static_cast<Common>(count) / static_cast<Common>(upper - lower);
            return static_cast<int>((value - first) * scale);
        }
    }
};

/// Bins between sorted levels on the device.
template <typename Level>
struct RangeBins {
    int count;
    const Level* levels;

    template <typename Sample>
    SIMT_INLINE int of(const Sample& sample) const {
        using Common = std::common_type_t<Level, Sample>;
        const int bin = UpperBound(levels, count + 1, static_cast<Common>(sample)) - 1;
        return bin >= 0 && bin < count ? bin : -1;
    }
};

template <typename Counter>
SIMT_INLINE void count_one(Counter* counter) {
    if constexpr (sizeof(Counter) == 4) {
        atomicAdd(reinterpret_cast<unsigned*>(counter), 1u);
    } else if constexpr (sizeof(Counter) == 8) {
        atomicAdd(reinterpret_cast<unsigned long long*>(counter), 1ull);
    } else {
        ++*counter;  // one thread counts
    }
}

/// Of pixels with `channels` samples each, the first `active` are counted. Rows are row_stride_bytes apart.
template <int channels, int active, typename Samples, typename Counter, typename Bins, typename Offset>
cudaError_t histogram(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples,
                      Counter* const (&d_histogram)[active], const Bins (&bins)[active], Offset row_pixels, Offset rows,
                      size_t row_stride_bytes, cudaStream_t stream) {
    struct Channel {
        Counter* counts;
        Bins bins;
    };
    struct Channels {
        Channel channel[active];
    } all;
    for (int c = 0; c < active; ++c) {
        if (bins[c].count < 1) return cudaErrorInvalidValue;
        all.channel[c] = {d_histogram[c], bins[c]};
    }
    TemporaryStorage storage(d_temp_storage);
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error)) return error;
    error = run_once(name, stream, [all]() {
        for (const Channel& channel : all.channel) {
            for (int bin = 0; bin < channel.bins.count; ++bin) channel.counts[bin] = 0;
        }
    });
    const int64_t pixels = static_cast<int64_t>(row_pixels) * static_cast<int64_t>(rows);
    if (error != cudaSuccess || pixels <= 0) return error;
    const Chunks chunks(pixels, sizeof(Counter) >= 4 ? Chunks::least_items : pixels);
    const int64_t stride = static_cast<int64_t>(row_stride_bytes / sizeof(ValueOf<Samples>));
    return run_chunks(
        name, chunks.count, stream,
        [chunks, all, row_pixels, stride](unsigned chunk, auto samples) {
            for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
                const int64_t row = i / row_pixels, at = row * stride + (i - row * row_pixels) * channels;
                for (int c = 0; c < active; ++c) {
                    const int bin = all.channel[c].bins.of(static_cast<ValueOf<Samples>>(samples[at + c]));
                    if (bin >= 0) count_one(all.channel[c].counts + bin);
                }
            }
        },
        d_samples);
}

}  // namespace simt_parts

struct DeviceHistogram {
    template <typename Samples, typename Counter, typename Level, typename Offset>
    static cudaError_t HistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples,
                                     Counter* d_histogram, int num_levels, Level lower_level, Level upper_level,
                                     Offset num_samples, cudaStream_t stream = nullptr) {
        return HistogramEven(d_temp_storage, temp_storage_bytes, d_samples, d_histogram, num_levels, lower_level,
                             upper_level, num_samples, Offset(1), sizeof(simt_parts::ValueOf<Samples>) * num_samples,
                             stream);
    }
    template <typename Samples, typename Counter, typename Level, typename Offset>
    static cudaError_t HistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples,
                                     Counter* d_histogram, int num_levels, Level lower_level, Level upper_level,
                                     Offset num_row_samples, Offset num_rows, size_t row_stride_bytes,
                                     cudaStream_t stream = nullptr) {
        Counter* const histograms[] = {d_histogram};
        const simt_parts::EvenBins<Level> bins[] = {{num_levels - 1, lower_level, upper_level}};
        return simt_parts::histogram<1>("cub::DeviceHistogram::HistogramEven", d_temp_storage, temp_storage_bytes,
                                        d_samples, histograms, bins, num_row_samples, num_rows, row_stride_bytes,
                                        stream);
    }

    template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename Samples, typename Counter, typename Level,
              typename Offset>
    static cudaError_t MultiHistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples,
                                          Counter* d_histogram[NUM_ACTIVE_CHANNELS],
                                          const int num_levels[NUM_ACTIVE_CHANNELS],
                                          const Level lower_level[NUM_ACTIVE_CHANNELS],
                                          const Level upper_level[NUM_ACTIVE_CHANNELS], Offset num_pixels,
                                          cudaStream_t stream = nullptr) {
        return MultiHistogramEven<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(
            d_temp_storage, temp_storage_bytes, d_samples, d_histogram, num_levels, lower_level, upper_level,
            num_pixels, Offset(1), sizeof(simt_parts::ValueOf<Samples>) * NUM_CHANNELS * num_pixels, stream);
    }
    template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename Samples, typename Counter, typename Level,
              typename Offset>
    static cudaError_t MultiHistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples,
                                          Counter* d_histogram[NUM_ACTIVE_CHANNELS],
                                          const int num_levels[NUM_ACTIVE_CHANNELS],
                                          const Level lower_level[NUM_ACTIVE_CHANNELS],
                                          const Level upper_level[NUM_ACTIVE_CHANNELS], Offset num_row_pixels,
                                          Offset num_rows, size_t row_stride_bytes, cudaStream_t stream = nullptr) {
        Counter* histograms[NUM_ACTIVE_CHANNELS];
        simt_parts::EvenBins<Level> bins[NUM_ACTIVE_CHANNELS];
        for (int c = 0; c < NUM_ACTIVE_CHANNELS; ++c) {
            histograms[c] = d_histogram[c];
            bins[c] = {num_levels[c] - 1, lower_level[c], upper_level[c]};
        }
        return simt_parts::histogram<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(
            "cub::DeviceHistogram::MultiHistogramEven", d_temp_storage, temp_storage_bytes, d_samples,
            reinterpret_cast<Counter* const(&)[NUM_ACTIVE_CHANNELS]>(histograms), bins, num_row_pixels, num_rows,
            row_stride_bytes, stream);
    }

    template <typename Samples, typename Counter, typename Level, typename Offset>
    static cudaError_t HistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples,
                                      Counter* d_histogram, int num_levels, const Level* d_levels, Offset num_samples,
                                      cudaStream_t stream = nullptr) {
        return HistogramRange(d_temp_storage, temp_storage_bytes, d_samples, d_histogram, num_levels, d_levels,
                              num_samples, Offset(1), sizeof(simt_parts::ValueOf<Samples>) * num_samples, stream);
    }
    template <typename Samples, typename Counter, typename Level, typename Offset>
    static cudaError_t HistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples,
                                      Counter* d_histogram, int num_levels, const Level* d_levels,
                                      Offset num_row_samples, Offset num_rows, size_t row_stride_bytes,
                                      cudaStream_t stream = nullptr) {
        Counter* const histograms[] = {d_histogram};
        const simt_parts::RangeBins<Level> bins[] = {{num_levels - 1, d_levels}};
        return simt_parts::histogram<1>("cub::DeviceHistogram::HistogramRange", d_temp_storage, temp_storage_bytes,
                                        d_samples, histograms, bins, num_row_samples, num_rows, row_stride_bytes,
                                        stream);
    }
    template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename Samples, typename Counter, typename Level,
              typename Offset>
    static cudaError_t MultiHistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, Samples d_samples,
                                           Counter* d_histogram[NUM_ACTIVE_CHANNELS],
                                           const int num_levels[NUM_ACTIVE_CHANNELS],
                                           const Level* const d_levels[NUM_ACTIVE_CHANNELS], Offset num_pixels,
                                           cudaStream_t stream = nullptr) {
        Counter* histograms[NUM_ACTIVE_CHANNELS];
        simt_parts::RangeBins<Level> bins[NUM_ACTIVE_CHANNELS];
        for (int c = 0; c < NUM_ACTIVE_CHANNELS; ++c) {
            histograms[c] = d_histogram[c];
            bins[c] = {num_levels[c] - 1, d_levels[c]};
        }
        return simt_parts::histogram<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(
            "cub::DeviceHistogram::MultiHistogramRange", d_temp_storage, temp_storage_bytes, d_samples,
            reinterpret_cast<Counter* const(&)[NUM_ACTIVE_CHANNELS]>(histograms), bins, num_pixels, Offset(1),
            sizeof(simt_parts::ValueOf<Samples>) * NUM_CHANNELS * num_pixels, stream);
    }
};

CUB_NAMESPACE_CLOSE
