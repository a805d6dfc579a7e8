// SPDX-License-Identifier: MIT
// CUB: collectives of warps and blocks, and algorithms of the device, compared with the host's results.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

struct Plus {
    template <typename T>
    __host__ __device__ T operator()(const T& a, const T& b) const {
        return a + b;
    }
};
struct Greater {
    __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
/// x -> factor * x + offset, whose composition is not commutative.
struct Line {
    unsigned factor, offset;
};
struct Compose {
    __host__ __device__ Line operator()(const Line& a, const Line& b) const {
        return {a.factor * b.factor, a.offset * b.factor + b.offset};
    }
};
struct Differs {
    __host__ __device__ bool operator()(int a, int b) const { return a != b; }
};
struct Minus {
    __host__ __device__ int operator()(int a, int b) const { return a - b; }
};
struct Less {
    __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};
struct IsOdd {
    __host__ __device__ bool operator()(int a) const { return a & 1; }
};
struct Running {
    int total;
    __device__ int operator()(int aggregate) {
        const int before = total;
        total += aggregate;
        return before;
    }
};
struct Half {
    __host__ __device__ int operator()(int a) const { return a / 2; }
};

struct Triple {
    int* out;
    __device__ void operator()(int i) const { out[i] = 3 * i; }
};

int failures = 0;
void report(const char* name, bool ok) {
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%-20s %s%s\n", name, ok ? "ok" : "WRONG", error ? cudaGetErrorName(error) : "");
    failures += !ok || error;
}

template <typename T>
T* managed(size_t n) {
    T* p;
    cudaMallocManaged(&p, n * sizeof(T));
    return p;
}
int value(int i) { return (i * 7919 + 13) % 101 - 50; }

// ---- warps: 2 blocks of 64 threads, logical warps of 8

constexpr int logical = 8;

__global__ void of_warps(const int* in, int* sum, int* head, int* tail, int* inclusive, int* exclusive, int* aggregate,
                         Line* composed, int* exchanged, int* sorted) {
    using Reduce = cub::WarpReduce<int, logical>;
    using Scan = cub::WarpScan<int, logical>;
    using ScanLines = cub::WarpScan<Line>;
    using Exchange = cub::WarpExchange<int, 4, logical>;
    using Sort = cub::WarpMergeSort<int, 4, logical>;
    constexpr int warps = 64 / logical;
    __shared__ typename Reduce::TempStorage reduce[warps];
    __shared__ typename Scan::TempStorage scan[warps];
    __shared__ typename ScanLines::TempStorage lines[2];
    __shared__ typename Exchange::TempStorage exchange[warps];
    __shared__ typename Sort::TempStorage sort[warps];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / logical;
    int total = Reduce(reduce[warp]).Sum(in[i]);
    if (i % logical == 0) sum[i / logical] = total;
    __syncwarp();
    total = Reduce(reduce[warp]).Reduce(in[i], Greater(), 5);
    if (i % logical == 0) sum[16 + i / logical] = total;
    __syncwarp();
    head[i] = Reduce(reduce[warp]).HeadSegmentedSum(in[i], i % 3 == 0);
    __syncwarp();
    tail[i] = Reduce(reduce[warp]).TailSegmentedReduce(in[i], i % 3 == 0, Greater());
    Scan(scan[warp]).InclusiveSum(in[i], inclusive[i]);
    __syncwarp();
    Scan(scan[warp]).ExclusiveScan(in[i], exclusive[i], -7, Greater(), aggregate[i]);
    ScanLines(lines[threadIdx.x / 32]).InclusiveScan(Line{2u * i + 1, static_cast<unsigned>(in[i])}, composed[i], Compose());
    int items[4], keys[4];
    for (int k = 0; k < 4; ++k) items[k] = keys[k] = in[4 * i + k];
    Exchange(exchange[warp]).BlockedToStriped(items, items);
    for (int k = 0; k < 4; ++k) exchanged[4 * i + k] = items[k];
    Sort(sort[warp]).Sort(keys, Less());
    for (int k = 0; k < 4; ++k) sorted[4 * i + k] = keys[k];
}

void warps() {
    constexpr int n = 128;
    int* in = managed<int>(4 * n);
    for (int i = 0; i < 4 * n; ++i) in[i] = value(i);
    int *sum = managed<int>(32), *head = managed<int>(n), *tail = managed<int>(n), *inclusive = managed<int>(n),
        *exclusive = managed<int>(n), *aggregate = managed<int>(n), *exchanged = managed<int>(4 * n),
        *sorted = managed<int>(4 * n);
    Line* composed = managed<Line>(n);
    of_warps<<<2, 64>>>(in, sum, head, tail, inclusive, exclusive, aggregate, composed, exchanged, sorted);
    cudaDeviceSynchronize();
    bool sums = true, segments = true, scans = true, lines = true, exchange = true, sort = true;
    for (int w = 0; w < n / logical; ++w) {
        const int* v = in + w * logical;
        sums &= sum[w] == std::accumulate(v, v + logical, 0) && sum[16 + w] == *std::max_element(v, v + 5);
        std::vector<int> keys(in + w * 32, in + w * 32 + 32);
        std::sort(keys.begin(), keys.end());
        sort &= std::equal(keys.begin(), keys.end(), sorted + w * 32);
        int most = -7;
        for (int i = 0; i < logical; ++i) {
            const int at = w * logical + i;
            scans &= inclusive[at] == std::accumulate(v, v + i + 1, 0) && exclusive[at] == most &&
                     aggregate[at] == *std::max_element(v, v + logical);
            most = std::max(most, v[i]);
            if (at % 3 == 0 || i == 0) {
                int expected = v[i];
                for (int k = i + 1; k < logical && (w * logical + k) % 3 != 0; ++k) expected += v[k];
                segments &= head[at] == expected;
            }
            if ((at - 1) % 3 == 0 || i == 0) {
                int expected = v[i];
                for (int k = i; k + 1 < logical && (w * logical + k) % 3 != 0; ++k) expected = std::max(expected, v[k + 1]);
                segments &= tail[at] == expected;
            }
            for (int k = 0; k < 4; ++k) exchange &= exchanged[4 * at + k] == in[w * 32 + k * logical + i];
        }
    }
    for (int w = 0; w < n / 32; ++w) {
        Line line{};
        for (int i = 0; i < 32; ++i) {
            const int at = w * 32 + i;
            const Line own{2u * at + 1, static_cast<unsigned>(in[at])};
            line = i ? Compose()(line, own) : own;
            lines &= composed[at].factor == line.factor && composed[at].offset == line.offset;
        }
    }
    report("WarpReduce", sums);
    report("WarpReduce segments", segments);
    report("WarpScan", scans);
    report("WarpScan of lines", lines);
    report("WarpExchange", exchange);
    report("WarpMergeSort", sort);
}

// ---- blocks of 8 * 16 threads, 5 items each

constexpr int block_x = 8, block_y = 16, threads = block_x * block_y, items = 5, tile = threads * items;

struct Results {
    int sum, partial, aggregate, prefix[2 * tile], inclusive[tile], exclusive[tile], striped[tile], scattered[tile];
    int keys[tile], values[tile], descending[tile], merged[tile], difference[tile], right[tile], shuffled[threads];
    int heads[tile], tails[tile], flags_of_predecessor[tile], loaded[tile], stored[tile];
    unsigned histogram[64];
    float floats[tile];
    Line line;
};

__global__ void of_blocks(const int* in, const float* floats, Results* r) {
    using Load = cub::BlockLoad<int, block_x, items, cub::BLOCK_LOAD_WARP_TRANSPOSE, block_y>;
    using Store = cub::BlockStore<int, block_x, items, cub::BLOCK_STORE_TRANSPOSE, block_y>;
    using Reduce = cub::BlockReduce<int, block_x, cub::BLOCK_REDUCE_RAKING, block_y>;
    using ReduceLines = cub::BlockReduce<Line, block_x, cub::BLOCK_REDUCE_WARP_REDUCTIONS, block_y>;
    using Scan = cub::BlockScan<int, block_x, cub::BLOCK_SCAN_WARP_SCANS, block_y>;
    using Exchange = cub::BlockExchange<int, block_x, items, false, block_y>;
    using Radix = cub::BlockRadixSort<int, block_x, items, int, 4, true, cub::BLOCK_SCAN_WARP_SCANS,
                                      cudaSharedMemBankSizeFourByte, block_y>;
    using RadixKeys = cub::BlockRadixSort<int, block_x, items, cub::NullType, 4, true, cub::BLOCK_SCAN_WARP_SCANS,
                                          cudaSharedMemBankSizeFourByte, block_y>;
    using RadixFloats = cub::BlockRadixSort<float, block_x, items, cub::NullType, 4, true, cub::BLOCK_SCAN_WARP_SCANS,
                                            cudaSharedMemBankSizeFourByte, block_y>;
    using Merge = cub::BlockMergeSort<int, block_x, items, cub::NullType, block_y>;
    using Discontinuity = cub::BlockDiscontinuity<int, block_x, block_y>;
    using Difference = cub::BlockAdjacentDifference<int, block_x, block_y>;
    using Histogram = cub::BlockHistogram<unsigned char, block_x, items, 64, cub::BLOCK_HISTO_ATOMIC, block_y>;
    using Shuffle = cub::BlockShuffle<int, block_x, block_y>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Reduce::TempStorage reduce;
        typename ReduceLines::TempStorage lines;
        typename Scan::TempStorage scan;
        typename Exchange::TempStorage exchange;
        typename Radix::TempStorage radix;
        typename RadixKeys::TempStorage keys;
        typename RadixFloats::TempStorage floats;
        typename Merge::TempStorage merge;
        typename Discontinuity::TempStorage discontinuity;
        typename Difference::TempStorage difference;
        typename Histogram::TempStorage histogram;
        typename Shuffle::TempStorage shuffle;
    } temporary;
    __shared__ unsigned counts[64];
    const int rank = threadIdx.y * block_x + threadIdx.x;
    int data[items], keys[items], values[items], out[items];
    const auto put = [&](int* to) {
        for (int i = 0; i < items; ++i) to[rank * items + i] = out[i];
        __syncthreads();
    };
    Load(temporary.load).Load(in, data, tile - 3, -1000);
    for (int i = 0; i < items; ++i) out[i] = data[i];
    put(r->loaded);
    Store(temporary.store).Store(r->stored, out, tile - 7);  // (CUB may leave the items in another order.)
    __syncthreads();
    int result = Reduce(temporary.reduce).Sum(data);
    if (rank == 0) r->sum = result;
    __syncthreads();
    result = Reduce(temporary.reduce).Reduce(data[0], Greater(), 70);
    if (rank == 0) r->partial = result;
    __syncthreads();
    const Line line =
        ReduceLines(temporary.lines).Reduce(Line{2u * rank + 1, static_cast<unsigned>(data[0])}, Compose());
    if (rank == 0) r->line = line;
    __syncthreads();
    int aggregate;
    Scan(temporary.scan).ExclusiveSum(data, out, aggregate);
    if (rank == threads - 1) r->aggregate = aggregate;
    put(r->exclusive);
    Scan(temporary.scan).InclusiveScan(data, out, Greater());
    put(r->inclusive);
    Running running{100};
    for (int round = 0; round < 2; ++round) {
        Scan(temporary.scan).ExclusiveSum(data, out, running);
        put(r->prefix + round * tile);
    }
    Exchange(temporary.exchange).BlockedToStriped(data, out);
    put(r->striped);
    for (int i = 0; i < items; ++i) keys[i] = tile - 1 - (rank * items + i);
    Exchange(temporary.exchange).ScatterToBlocked(data, out, keys);
    put(r->scattered);
    for (int i = 0; i < items; ++i) {
        keys[i] = data[i];
        values[i] = rank * items + i;
    }
    Radix(temporary.radix).Sort(keys, values);
    for (int i = 0; i < items; ++i) out[i] = keys[i];
    put(r->keys);
    for (int i = 0; i < items; ++i) out[i] = values[i];
    put(r->values);
    for (int i = 0; i < items; ++i) out[i] = data[i];
    RadixKeys(temporary.keys).SortDescendingBlockedToStriped(out, 0, 4);
    for (int i = 0; i < items; ++i) r->descending[i * threads + rank] = out[i];
    __syncthreads();
    float number[items];
    for (int i = 0; i < items; ++i) number[i] = floats[rank * items + i];
    RadixFloats(temporary.floats).Sort(number);
    for (int i = 0; i < items; ++i) r->floats[rank * items + i] = number[i];
    __syncthreads();
    for (int i = 0; i < items; ++i) out[i] = data[i];
    Merge(temporary.merge).Sort(out, Less());
    put(r->merged);
    Discontinuity(temporary.discontinuity).FlagHeadsAndTails(out, keys, data, Differs());
    put(r->heads);
    for (int i = 0; i < items; ++i) out[i] = keys[i];
    put(r->tails);
    Discontinuity(temporary.discontinuity).FlagHeads(out, data, Differs(), data[0]);
    put(r->flags_of_predecessor);
    Difference(temporary.difference).SubtractLeft(data, out, Minus());
    put(r->difference);
    Difference(temporary.difference).SubtractRight(data, out, Minus());
    put(r->right);
    unsigned char bins[items];
    for (int i = 0; i < items; ++i) bins[i] = static_cast<unsigned char>(data[i] & 63);
    Histogram(temporary.histogram).Histogram(bins, counts);
    __syncthreads();
    if (rank < 64) r->histogram[rank] = counts[rank];
    __syncthreads();
    Shuffle(temporary.shuffle).Rotate(data[0], out[0], 5);
    r->shuffled[rank] = out[0];
}

void blocks() {
    int* in = managed<int>(tile);
    float* floats = managed<float>(tile);
    for (int i = 0; i < tile; ++i) in[i] = value(i / 2), floats[i] = (i % 3 - 1) * value(i) / 8.f;
    Results* r = managed<Results>(1);
    for (int i = 0; i < tile; ++i) r->stored[i] = -1;
    of_blocks<<<1, dim3(block_x, block_y)>>>(in, floats, r);
    cudaDeviceSynchronize();
    std::vector<int> data(in, in + tile);
    for (int i = tile - 3; i < tile; ++i) data[i] = -1000;
    const auto equal = [](const auto& a, const auto* b) { return std::equal(a.begin(), a.end(), b); };
    std::vector<int> expected(tile), order(tile);
    report("BlockLoad", equal(data, r->loaded));
    expected = data;
    for (int i = tile - 7; i < tile; ++i) expected[i] = -1;
    report("BlockStore", equal(expected, r->stored));
    const int sum = std::accumulate(data.begin(), data.end(), 0);
    int most = data[0];
    Line line{1, static_cast<unsigned>(data[0])};
    for (int i = 1; i < threads; ++i) {
        if (i < 70) most = std::max(most, data[i * items]);
        line = Compose()(line, Line{2u * i + 1, static_cast<unsigned>(data[i * items])});
    }
    report("BlockReduce", r->sum == sum && r->partial == most && r->line.factor == line.factor && r->line.offset == line.offset);
    bool scans = r->aggregate == sum, striped = true, scattered = true, shuffled = true;
    int before = 0;
    most = data[0];
    for (int i = 0; i < tile; ++i) {
        most = std::max(most, data[i]);
        scans &= r->exclusive[i] == before && r->inclusive[i] == most && r->prefix[i] == 100 + before &&
                 r->prefix[tile + i] == 100 + sum + before;
        before += data[i];
        striped &= r->striped[i] == data[i % items * threads + i / items];
        scattered &= r->scattered[i] == data[tile - 1 - i];
    }
    report("BlockScan", scans);
    report("BlockExchange", striped && scattered);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return data[a] < data[b]; });
    bool sorted = equal(order, r->values);
    for (int i = 0; i < tile; ++i) sorted &= r->keys[i] == data[order[i]] && r->merged[i] == data[order[i]];
    expected = data;
    std::stable_sort(expected.begin(), expected.end(), [](int a, int b) { return (a & 15) > (b & 15); });
    sorted &= equal(expected, r->descending);
    std::vector<float> numbers(floats, floats + tile);
    std::stable_sort(numbers.begin(), numbers.end());
    report("BlockRadixSort", sorted && equal(numbers, r->floats));
    bool flags = true, differences = true;
    std::vector<unsigned> counts(64);
    for (int i = 0; i < tile; ++i) {
        const bool head = i == 0 || data[i] != data[i - 1], tail = i == tile - 1 || data[i] != data[i + 1];
        flags &= r->heads[i] == head && r->tails[i] == tail && r->flags_of_predecessor[i] == (i > 0 && head);
        differences &= r->difference[i] == data[i] - (i ? data[i - 1] : 0) &&
                       r->right[i] == data[i] - (i < tile - 1 ? data[i + 1] : 0);
        ++counts[data[i] & 63];
    }
    for (int i = 0; i < threads; ++i) shuffled &= r->shuffled[i] == data[(i + 5) % threads * items];
    report("BlockDiscontinuity", flags);
    report("BlockDifference", differences);
    report("BlockHistogram", equal(counts, r->histogram));
    report("BlockShuffle", shuffled);
}

// ---- the device

/// Calls an algorithm twice: for the size of its storage, and to run.
template <typename Call>
void run(Call call) {
    void* storage = nullptr;
    size_t bytes = 0;
    if (call(storage, bytes) || bytes == 0 || cudaMalloc(&storage, bytes) || call(storage, bytes)) printf("failed\n");
    cudaDeviceSynchronize();
    cudaFree(storage);
}

void device(int n) {
    int *in = managed<int>(n), *out = managed<int>(n), *values = managed<int>(n), *values_out = managed<int>(n),
        *count = managed<int>(2), *flags = managed<int>(n), *offsets = managed<int>(102);
    for (int i = 0; i < n; ++i) in[i] = value(i / 3), values[i] = i, flags[i] = i % 7 == 0;
    for (int i = 0; i <= 101; ++i) offsets[i] = static_cast<int>(static_cast<long long>(n) * i / 101);
    std::vector<int> data(in, in + n), expected(n);
    const auto equals = [&](const int* seen, size_t length) { return std::equal(expected.begin(), expected.begin() + length, seen); };

    run([&](void* t, size_t& b) { return cub::DeviceReduce::Sum(t, b, in, out, n); });
    bool ok = out[0] == std::accumulate(data.begin(), data.end(), 0);
    run([&](void* t, size_t& b) { return cub::DeviceReduce::Max(t, b, in, out, n); });
    ok &= out[0] == *std::max_element(data.begin(), data.end());
    run([&](void* t, size_t& b) { return cub::DeviceReduce::Reduce(t, b, in, out, n, Greater(), 1000); });
    ok &= out[0] == 1000;
    run([&](void* t, size_t& b) { return cub::DeviceReduce::TransformReduce(t, b, in, out, n, Plus(), Half(), 5); });
    ok &= out[0] == std::accumulate(data.begin(), data.end(), 5, [](int a, int v) { return a + v / 2; });
    report("DeviceReduce", ok);

    run([&](void* t, size_t& b) { return cub::DeviceScan::ExclusiveSum(t, b, in, out, n); });
    for (int i = 0, total = 0; i < n; total += data[i++]) expected[i] = total;
    ok = equals(out, n);
    run([&](void* t, size_t& b) { return cub::DeviceScan::InclusiveScan(t, b, in, out, Greater(), n); });
    for (int i = 0; i < n; ++i) expected[i] = i ? std::max(expected[i - 1], data[i]) : data[0];
    ok &= equals(out, n);
    std::copy(data.begin(), data.end(), out);
    run([&](void* t, size_t& b) { return cub::DeviceScan::ExclusiveScan(t, b, out, out, Plus(), 42, n); });
    for (int i = 0, total = 42; i < n; total += data[i++]) expected[i] = total;
    report("DeviceScan", ok && equals(out, n));

    run([&](void* t, size_t& b) { return cub::DeviceScan::InclusiveSumByKey(t, b, in, values, out, n); });
    for (int i = 0; i < n; ++i) expected[i] = i + (i && data[i] == data[i - 1] ? expected[i - 1] : 0);
    report("DeviceScan by key", equals(out, n));

    run([&](void* t, size_t& b) { return cub::DeviceSelect::Flagged(t, b, in, flags, out, count, n); });
    int length = 0;
    for (int i = 0; i < n; ++i) if (flags[i]) expected[length++] = data[i];
    ok = count[0] == length && equals(out, length);
    run([&](void* t, size_t& b) { return cub::DeviceSelect::If(t, b, in, out, count, n, IsOdd()); });
    length = static_cast<int>(std::copy_if(data.begin(), data.end(), expected.begin(), IsOdd()) - expected.begin());
    ok &= count[0] == length && equals(out, length);
    run([&](void* t, size_t& b) { return cub::DeviceSelect::Unique(t, b, in, out, count, n); });
    length = static_cast<int>(std::unique_copy(data.begin(), data.end(), expected.begin()) - expected.begin());
    report("DeviceSelect", ok && count[0] == length && equals(out, length));

    run([&](void* t, size_t& b) { return cub::DevicePartition::If(t, b, in, out, count, n, IsOdd()); });
    int first = 0, last = n;
    for (int i = 0; i < n; ++i) (data[i] & 1 ? expected[first++] : expected[--last]) = data[i];
    report("DevicePartition", count[0] == first && equals(out, n));

    run([&](void* t, size_t& b) { return cub::DeviceRunLengthEncode::Encode(t, b, in, out, values_out, count, n); });
    length = static_cast<int>(std::unique_copy(data.begin(), data.end(), expected.begin()) - expected.begin());
    report("DeviceRunLength", count[0] == length && equals(out, length) &&
                                  std::accumulate(values_out, values_out + length, 0) == n);
    run([&](void* t, size_t& b) { return cub::DeviceReduce::ReduceByKey(t, b, in, out, values, values_out, count, Plus(), n); });
    report("DeviceReduce by key", count[0] == length && equals(out, length) &&
                                      std::accumulate(values_out, values_out + length, 0u) == std::accumulate(values, values + n, 0u));

    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    run([&](void* t, size_t& b) { return cub::DeviceRadixSort::SortPairs(t, b, in, out, values, values_out, n); });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return data[a] < data[b]; });
    expected = order;
    ok = equals(values_out, n) && std::is_sorted(out, out + n) && std::equal(data.begin(), data.end(), in);
    cub::DoubleBuffer<int> keys(out, values_out);
    std::copy(data.begin(), data.end(), out);
    run([&](void* t, size_t& b) { return cub::DeviceRadixSort::SortKeysDescending(t, b, keys, n, 0, 20); });
    expected = data;
    std::stable_sort(expected.begin(), expected.end(), [](int a, int b) { return (a & 0xfffff) > (b & 0xfffff); });
    report("DeviceRadixSort", ok && equals(keys.Current(), n));

    std::copy(data.begin(), data.end(), out);
    std::copy(values, values + n, values_out);
    run([&](void* t, size_t& b) { return cub::DeviceMergeSort::StableSortPairs(t, b, out, values_out, n, Less()); });
    expected = order;
    report("DeviceMergeSort", equals(values_out, n) && std::is_sorted(out, out + n));

    run([&](void* t, size_t& b) { return cub::DeviceSegmentedSort::SortKeys(t, b, in, out, n, 101, offsets, offsets + 1); });
    expected = data;
    for (int s = 0; s < 101; ++s) std::sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1]);
    report("DeviceSegmentedSort", equals(out, n));
    run([&](void* t, size_t& b) { return cub::DeviceSegmentedReduce::Sum(t, b, in, out, 101, offsets, offsets + 1); });
    for (int s = 0; s < 101; ++s) expected[s] = std::accumulate(data.begin() + offsets[s], data.begin() + offsets[s + 1], 0);
    report("DeviceSegmentReduce", equals(out, std::min(101, n)));

    run([&](void* t, size_t& b) { return cub::DeviceHistogram::HistogramEven(t, b, in, out, 11, -40, 40, n); });
    std::fill(expected.begin(), expected.end(), 0);
    for (int i = 0; i < n; ++i) if (data[i] >= -40 && data[i] < 40) ++expected[(data[i] + 40) / 8];
    report("DeviceHistogram", equals(out, 10));
    run([&](void* t, size_t& b) { return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, in, out, n, Minus()); });
    for (int i = 0; i < n; ++i) expected[i] = data[i] - (i ? data[i - 1] : 0);
    report("DeviceDifference", equals(out, n));
    cub::DeviceFor::Bulk(n, Triple{out});
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) expected[i] = 3 * i;
    report("DeviceFor", equals(out, n));
}

/// An algorithm in a stream that is captured runs with the graph.
void captured() {
    int *in = managed<int>(1000), *out = managed<int>(1);
    std::fill(in, in + 1000, 1);
    void* storage = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(storage, bytes, in, out, 1000);
    cudaMalloc(&storage, bytes);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cub::DeviceReduce::Sum(storage, bytes, in, out, 1000, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    *out = 0;
    bool ok = true;
    for (int round = 1; round <= 2; ++round) {
        std::fill(in, in + 1000, round);
        cudaGraphLaunch(executable, stream);
        cudaStreamSynchronize(stream);
        ok &= *out == 1000 * round;
    }
    report("captured", ok);
}

int main() {
    warps();
    blocks();
    for (const int n : {200, 20000}) device(n);
    captured();
    return failures != 0;
}
