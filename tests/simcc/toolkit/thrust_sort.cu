// SPDX-License-Identifier: MIT
// Thrust's sorts against the standard library's: keys of all types and signs, in both orders, in memory and behind other
// iterators, on the device, inside of kernels and on the host.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>
#include <functional>
#include <type_traits>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>

int checks = 0;

void expect(const std::string& what, size_t n, bool holds) {
    ++checks;
    if (!holds) std::printf("wrong: %s of %zu\n", what.c_str(), n);
}

// Keys of both signs, many of them equal in a row of their own now and then.
template <class Key>
std::vector<Key> some_keys(size_t n) {
    std::vector<Key> keys(n);
    unsigned state = 12345;
    for (Key& key : keys) {
        state = state * 1664525u + 1013904223u;
        const int number = int(state) >> (state >> 3 & 1 ? 24 : 0);
        key = std::is_floating_point_v<Key> ? Key(number) / 3 : Key(number);
    }
    return keys;
}

struct Heavier {
    template <class Key>
    __host__ __device__ bool operator()(const Key& one, const Key& other) const {
        return other < one;
    }
};

// `compare` and `reference` order in the same way.
template <class Key, class Compare, class Reference>
void sort_all_ways(const std::string& name, size_t n, Compare compare, Reference reference) {
    const std::vector<Key> keys = some_keys<Key>(n);
    std::vector<Key> sorted = keys;
    std::stable_sort(sorted.begin(), sorted.end(), reference);
    std::vector<int> places(n), sorted_places;
    std::iota(places.begin(), places.end(), 0);
    sorted_places = places;
    std::stable_sort(sorted_places.begin(), sorted_places.end(),
                     [&](int one, int other) { return reference(keys[one], keys[other]); });

    thrust::device_vector<Key> d_keys(keys.begin(), keys.end());
    thrust::device_vector<int> d_places(places.begin(), places.end());
    thrust::sort(d_keys.begin(), d_keys.end(), compare);
    expect(name, n, thrust::host_vector<Key>(d_keys) == thrust::host_vector<Key>(sorted));
    d_keys.assign(keys.begin(), keys.end());
    thrust::stable_sort_by_key(d_keys.begin(), d_keys.end(), d_places.begin(), compare);
    expect(name + " by key", n,
           thrust::host_vector<Key>(d_keys) == thrust::host_vector<Key>(sorted) &&
               thrust::host_vector<int>(d_places) == thrust::host_vector<int>(sorted_places));
    d_keys.assign(keys.begin(), keys.end());
    thrust::sort(d_keys.rbegin(), d_keys.rend(), compare);
    std::vector<Key> backwards(sorted.rbegin(), sorted.rend());
    expect(name + " backwards", n, thrust::host_vector<Key>(d_keys) == thrust::host_vector<Key>(backwards));
    thrust::host_vector<Key> h_keys(keys.begin(), keys.end());
    thrust::sort(h_keys.begin(), h_keys.end(), compare);
    expect(name + " on the host", n, h_keys == thrust::host_vector<Key>(sorted));
}

template <class Key>
void sort_type(const std::string& name) {
    for (const size_t n : {0, 1, 2, 64, 65, 1000}) {
        sort_all_ways<Key>(name, n, thrust::less<Key>(), std::less<Key>());
        sort_all_ways<Key>(name + " from the largest", n, thrust::greater<Key>(), std::greater<Key>());
    }
}

// More than fit into a lane's memory, as counts of all halfwords would not.
void sort_many() {
    const size_t n = 70000;
    sort_all_ways<short>("many shorts", n, thrust::less<short>(), std::less<short>());
    sort_all_ways<int>("many ints", n, Heavier(), std::greater<int>());
}

struct Point {
    double x, y;
    __host__ __device__ bool operator<(const Point& other) const { return x < other.x; }
};

void sort_classes() {
    thrust::device_vector<Point> points;
    thrust::host_vector<Point> h_points;
    for (int i = 0; i < 500; ++i) h_points.push_back({double(i * 7 % 50) - 25, double(i)});
    points = h_points;
    thrust::device_vector<char> letters(500, 'a');
    thrust::sort_by_key(points.begin(), points.end(), letters.begin());
    h_points = points;
    bool is_stable = true;
    for (int i = 1; i < 500; ++i)
        is_stable &= h_points[i - 1].x < h_points[i].x ||
                     (h_points[i - 1].x == h_points[i].x && h_points[i - 1].y < h_points[i].y);
    expect("classes", 500, is_stable);
}

// The second key decides where the first ones are equal.
void sort_pairs() {
    const int n = 1000;
    thrust::device_vector<int> first(n), second(n);
    for (int i = 0; i < n; ++i) {
        first[i] = i % 7 - 3;
        second[i] = i * 37 % n - n / 2;
    }
    auto pairs = thrust::make_zip_iterator(thrust::make_tuple(first.begin(), second.begin()));
    thrust::sort(pairs, pairs + n);
    bool is_sorted = true;
    for (int i = 1; i < n; ++i)
        is_sorted &= first[i - 1] < first[i] || (first[i - 1] == first[i] && second[i - 1] < second[i]);
    expect("pairs", n, is_sorted);
}

__global__ void sort_in_threads(int* numbers, int each) {
    int* const own = numbers + (blockIdx.x * blockDim.x + threadIdx.x) * each;
    thrust::sort(thrust::seq, own, own + each);
}

void sort_in_kernels() {
    const int each = 100, threads = 96;
    const std::vector<int> keys = some_keys<int>(each * threads);
    thrust::device_vector<int> d_keys(keys.begin(), keys.end());
    sort_in_threads<<<3, threads / 3>>>(thrust::raw_pointer_cast(d_keys.data()), each);
    const thrust::host_vector<int> sorted = d_keys;
    bool is_sorted = true;
    for (int i = 1; i < each * threads; ++i) is_sorted &= i % each == 0 || sorted[i - 1] <= sorted[i];
    expect("in kernels", each, is_sorted);
}

// Zeros of both signs are equal, so they keep their places.
void sort_zeros() {
    thrust::device_vector<float> keys(200);
    thrust::device_vector<int> places(200);
    for (int i = 0; i < 200; ++i) {
        keys[i] = i % 2 ? 0.0f : -0.0f;
        places[i] = i;
    }
    thrust::stable_sort_by_key(keys.begin(), keys.end(), places.begin());
    expect("zeros", 200, thrust::is_sorted(places.begin(), places.end()));
}

int main() {
    sort_type<int>("int");
#ifndef ONE_TYPE  // each takes seconds to compile
    sort_type<signed char>("signed char");
    sort_type<unsigned long long>("unsigned long long");
    sort_type<double>("double");
#endif
    sort_many();
    sort_classes();
    sort_pairs();
    sort_in_kernels();
    sort_zeros();
    std::printf("%d checks, %s\n", checks, cudaGetErrorName(cudaDeviceSynchronize()));
}
