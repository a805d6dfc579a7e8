// SPDX-License-Identifier: MIT
// Thrust's algorithms between kernels: each must see what the kernels before it have written, and be done before those
// after it begin.
#include <cstdio>
#include <list>
#include <utility>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>

struct Point {
    int key;
    float weight;
    __host__ __device__ Point(int k = 0, float w = 0) : key(k), weight(w) {}
};

struct ByWeight {
    __host__ __device__ bool operator()(const Point& a, const Point& b) const { return a.weight < b.weight; }
};

constexpr int n = 1 << 12;

// Late: the host is far ahead before the numbers are there.
__global__ void fill(int* numbers, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < 200; ++turn) __syncthreads();
    if (i < count) numbers[i] = (i * 7919 + 13) % count;
}

__global__ void add_one(int* numbers, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < 200; ++turn) __syncthreads();
    if (i < count) ++numbers[i];
}

__global__ void touch_nothing_mapped(size_t address) { *reinterpret_cast<volatile int*>(4 * address) = 1; }

template <class Vector>
int* raw(Vector& vector) {
    return thrust::raw_pointer_cast(vector.data());
}

int checks = 0;

void expect(const char* what, bool holds) {
    ++checks;
    if (!holds) std::printf("wrong: %s\n", what);
}

long long sum_below(long long count) { return count * (count - 1) / 2; }

void order() {
    thrust::device_vector<int> v(n);
    fill<<<n / 256, 256>>>(raw(v), n);
    expect("reduce after a kernel", thrust::reduce(v.begin(), v.end(), 0LL) == sum_below(n));
    add_one<<<n / 256, 256>>>(raw(v), n);
    thrust::sort(v.begin(), v.end());
    expect("elements after sort", v[0] == 1 && v[n - 1] == n && v.back() == n);
    add_one<<<n / 256, 256>>>(raw(v), n);
    thrust::host_vector<int> h = v;
    expect("copy to the host", h[0] == 2 && h[n - 1] == n + 1);
    v[7] = 1000000;
    expect("an assigned element", *thrust::max_element(v.begin(), v.end()) == 1000000);
    for (int i = 0; i < 20; ++i) {
        thrust::device_vector<int> short_lived(n, 1);
        add_one<<<n / 256, 256>>>(raw(short_lived), n);
    }
}

#ifndef ORDER_ONLY
void plain_memory() {
    int* numbers;
    cudaMalloc(&numbers, n * sizeof(int));
    fill<<<n / 256, 256>>>(numbers, n);
    thrust::sort(thrust::device, numbers, numbers + n, thrust::greater<int>());
    add_one<<<n / 256, 256>>>(numbers, n);
    thrust::device_ptr<int> first(numbers);
    expect("raw pointers", first[0] == n && first[n - 1] == 1);
    expect("lower_bound", thrust::lower_bound(first, first + n, 100, thrust::greater<int>()) - first == n - 100);
    cudaFree(numbers);
}

void streams() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    thrust::device_vector<int> v(n), sums(n);
    cudaDeviceSynchronize();
    fill<<<n / 256, 256, 0, stream>>>(raw(v), n);
    const auto policy = thrust::cuda::par.on(stream);
    thrust::sort(policy, v.begin(), v.end());
    thrust::inclusive_scan(policy, v.begin(), v.end(), sums.begin());
    thrust::for_each(thrust::cuda::par_nosync.on(stream), v.begin(), v.end(), [] __device__(int& x) { x *= 2; });
    add_one<<<n / 256, 256, 0, stream>>>(raw(v), n);
    expect("a stream's algorithms", thrust::reduce(policy, v.begin(), v.end(), 0LL) == 2 * sum_below(n) + n);
    int last = 0;
    thrust::copy(sums.end() - 1, sums.end(), &last);
    expect("a scan", last == sum_below(n));
    cudaStreamDestroy(stream);
}

void conversions() {
    std::list<int> list = {5, 3, 9};
    thrust::device_vector<float> v(list.begin(), list.end());
    thrust::host_vector<double> h(3);
    thrust::copy(v.begin(), v.end(), h.begin());
    expect("a list through floats to doubles", h[0] == 5 && h[1] == 3 && h[2] == 9);
    v[1] = 4;
    expect("a converted element", v[1] == 4.0f && thrust::count(v.begin(), v.end(), 4) == 1);

    thrust::device_vector<Point> points(100);
    thrust::transform(thrust::make_counting_iterator(0), thrust::make_counting_iterator(100), points.begin(),
                      [] __host__ __device__(int i) { return Point(i, 100.0f - i); });
    thrust::stable_sort(points.begin(), points.end(), ByWeight());
    const Point lightest = points[0];
    expect("a class", lightest.key == 99 && lightest.weight == 1);
    const Point total = thrust::reduce(points.begin(), points.end(), Point(), [] __host__ __device__(Point a, Point b) {
        return Point(a.key + b.key, a.weight + b.weight);
    });
    expect("a class as result", total.key == 4950 && total.weight == 5050);

    thrust::universal_vector<int> u(100);
    thrust::sequence(u.begin(), u.end());
    expect("universal memory", u[99] == 99);
}

void results() {
    thrust::device_vector<int> keys(n), values(n), out_keys(n), out_values(n);
    thrust::transform(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n), keys.begin(),
                      [] __host__ __device__(int i) { return i % 10; });
    thrust::sequence(values.begin(), values.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
    expect("sort_by_key", keys[n - 1] == 9 && values[0] == 0 && values[1] == 10);
    const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), thrust::make_constant_iterator(1),
                                            out_keys.begin(), out_values.begin());
    expect("reduce_by_key", ends.first - out_keys.begin() == 10 && out_values[0] == (n + 9) / 10);
    expect("unique", thrust::unique(keys.begin(), keys.end()) - keys.begin() == 10);
    const auto extremes = thrust::minmax_element(values.begin(), values.end());
    expect("minmax_element", *extremes.first == 0 && *extremes.second == n - 1);
    values.erase(thrust::remove_if(values.begin(), values.end(), [] __device__(int x) { return x % 2 == 1; }),
                 values.end());
    expect("remove_if", values.size() == n / 2);
    auto zipped = thrust::make_zip_iterator(thrust::make_tuple(out_keys.begin(), out_values.begin()));
    const long long weighted = thrust::transform_reduce(
        zipped, zipped + 10,
        [] __host__ __device__(thrust::tuple<int, int> t) { return 1LL * thrust::get<0>(t) * thrust::get<1>(t); }, 0LL,
        thrust::plus<long long>());
    long long expected = 0;
    for (int i = 0; i < n; ++i) expected += i % 10;
    expect("zipped", weighted == expected);
    expect("swapped", (thrust::swap_ranges(out_keys.begin(), out_keys.begin() + 2, out_keys.begin() + 8), out_keys[0] == 8));
}

__global__ void sort_alone(int* numbers, int count) {
    if (threadIdx.x == 0) thrust::sort(thrust::seq, numbers, numbers + count);
    if (threadIdx.x == 1) thrust::sort(thrust::device, numbers + count, numbers + 2 * count);
}

void in_kernels() {
    thrust::device_vector<int> v(200);
    thrust::sequence(v.rbegin(), v.rend());
    sort_alone<<<1, 32>>>(raw(v), 100);
    expect("in a kernel", v[0] == 100 && v[99] == 199 && v[100] == 0 && v[199] == 99);
}

#endif

// A stream that does not wait for the default one, and an algorithm that does not wait for it.
void race() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    thrust::device_vector<int> v(n);
    add_one<<<n / 256, 256, 0, stream>>>(raw(v), n);
    thrust::fill(v.begin(), v.end(), 3);
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
}

void fail() {
    thrust::device_vector<int> v(10);
    touch_nothing_mapped<<<1, 1>>>(v.size());
    try {
        thrust::sort(v.begin(), v.end());
    } catch (const thrust::system_error& error) {
        std::printf("%s\n", error.what());
    }
    cudaDeviceReset();
    new thrust::device_vector<int>(std::move(v));  // its memory is gone
}

int main(int count, char** arguments) {
    if (count > 1 && arguments[1][0] == 'r') return race(), 0;
    if (count > 1) fail();
    order();
#ifndef ORDER_ONLY
    plain_memory();
    streams();
    conversions();
    results();
    in_kernels();
#endif
    std::printf("%d checks, %s\n", checks, cudaGetErrorName(cudaDeviceSynchronize()));
}
