// SPDX-License-Identifier: MIT
// Thrust's single-threaded sort, which its algorithms on the host, in kernels and, with simcc, on the device all use.
// The toolkit's own would not do: that of CUDA 13.0 puts negative ints after the others, keeps half a megabyte on the
// stack, which is more than a lane has, and takes several times as long as std::sort() where keys have no radix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/functional.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/detail/sequential/execution_policy.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

// The headers that the toolkit's version includes.
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>

namespace simt {
namespace thrust_sort {

template <typename Iterator>
using ValueOf = typename thrust::iterator_traits<Iterator>::value_type;

template <typename Compare, typename Key>
constexpr bool is_ascending = std::is_same_v<Compare, thrust::less<Key>> || std::is_same_v<Compare, thrust::less<>>;
template <typename Compare, typename Key>
constexpr bool is_descending =
    std::is_same_v<Compare, thrust::greater<Key>> || std::is_same_v<Compare, thrust::greater<>>;

/// Whether the bits of a key determine its place in this order.
template <typename Compare, typename Key>
constexpr bool has_radix =
    std::is_arithmetic_v<Key> && sizeof(Key) <= 8 && (is_ascending<Compare, Key> || is_descending<Compare, Key>);

template <size_t bytes>
using Unsigned =
    std::conditional_t<bytes == 1, std::uint8_t,
                       std::conditional_t<bytes == 2, std::uint16_t,
                                          std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

/// An unsigned number in the order of the keys. -0.0 is 0.0, as in comparisons.
template <typename Key>
Unsigned<sizeof(Key)> radix_of(Key key) {
    using Bits = Unsigned<sizeof(Key)>;
    constexpr Bits sign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
    if constexpr (std::is_floating_point_v<Key>) {
        if (key == 0) return sign;
        Bits bits;
        std::memcpy(&bits, &key, sizeof bits);
        return bits & sign ? Bits(~bits) : Bits(bits | sign);
    } else {
        return std::is_signed_v<Key> ? Bits(Bits(key) ^ sign) : Bits(key);
    }
}

/// In kernels malloc() gives memory of the device, and the standard allocator the host's.
template <typename T>
struct HeapAllocator {
    using value_type = T;
    HeapAllocator() = default;
    template <typename Other>
    HeapAllocator(const HeapAllocator<Other>&) {}
    T* allocate(size_t count) {
        if (void* const memory = malloc(count * sizeof(T))) return static_cast<T*>(memory);
        throw std::bad_alloc();
    }
    void deallocate(T* memory, size_t) { free(memory); }
    friend bool operator==(HeapAllocator, HeapAllocator) { return true; }
    friend bool operator!=(HeapAllocator, HeapAllocator) { return false; }
};
template <typename T>
using Array = std::vector<T, HeapAllocator<T>>;

/// Radix sort, one byte per pass from the lowest up; a pass in which all elements agree is skipped.
template <bool descending, typename Element, typename KeyOf>
void sort_by_radix(Element* data, size_t n, KeyOf key_of) {
    using Bits = decltype(radix_of(key_of(*data)));
    const auto digit = [&](Element& element, size_t pass) -> unsigned {
        const Bits bits = radix_of(key_of(element));
        return unsigned((descending ? Bits(~bits) : bits) >> 8 * pass) & 255;
    };
    Array<size_t> places(256 * sizeof(Bits));
    for (size_t i = 0; i < n; ++i)
        for (size_t pass = 0; pass < sizeof(Bits); ++pass) ++places[256 * pass + digit(data[i], pass)];
    Array<Element> others(data, data + n);
    Element *from = data, *to = others.data();
    for (size_t pass = 0; pass < sizeof(Bits); ++pass) {
        size_t* const place = &places[256 * pass];
        if (place[digit(from[0], pass)] == n) continue;
        for (size_t value = 0, sum = 0; value < 256; ++value) sum += std::exchange(place[value], sum);
        for (size_t i = 0; i < n; ++i) to[place[digit(from[i], pass)]++] = std::move(from[i]);
        std::swap(from, to);
    }
    if (from != data) std::move(from, from + n, data);
}

/// Short runs by insertion, then merged in pairs. (std::stable_sort() would take its memory from the host.)
template <typename Element, typename Before>
void sort_by_merging(Element* data, size_t n, Before before) {
    constexpr size_t run = 16;
    for (size_t first = 0; first < n; first += run) {
        for (size_t i = first + 1; i < std::min(first + run, n); ++i) {
            Element inserted = std::move(data[i]);
            Element* const place = std::upper_bound(data + first, data + i, inserted, before);
            std::move_backward(place, data + i, data + i + 1);
            *place = std::move(inserted);
        }
    }
    if (n <= run) return;
    Array<Element> others(data, data + n);
    Element *from = data, *to = others.data();
    for (size_t width = run; width < n; width *= 2) {
        for (size_t first = 0; first < n; first += 2 * width) {
            const auto at = [&](size_t i) { return std::make_move_iterator(from + std::min(i, n)); };
            std::merge(at(first), at(first + width), at(first + width), at(first + 2 * width), to + first, before);
        }
        std::swap(from, to);
    }
    if (from != data) std::move(from, from + n, data);
}

template <typename Element, typename KeyOf, typename Compare>
void sort_plain_memory(Element* data, size_t n, KeyOf key_of, Compare compare) {
    using Key = std::decay_t<decltype(key_of(*data))>;
    constexpr size_t few = 64;  // the counts of radix sort take longer
    if constexpr (has_radix<Compare, Key>) {
        if (n > few) return sort_by_radix<is_descending<Compare, Key>>(data, n, key_of);
    }
    // (As on a GPU, the comparison may take its arguments by non-const reference.)
    sort_by_merging(data, n, [&](const Element& one, const Element& other) -> bool {
        return compare(key_of(const_cast<Element&>(one)), key_of(const_cast<Element&>(other)));
    });
}

template <typename Iterator, typename Compare>
void sort_keys(Iterator first, Iterator last, Compare compare) {
    using Key = ValueOf<Iterator>;
    const auto key_of = [](auto& key) -> auto& { return key; };
    const auto n = static_cast<size_t>(last - first);
    if (n < 2) return;
    if constexpr (thrust::is_contiguous_iterator<Iterator>::value) {
        sort_plain_memory(thrust::raw_pointer_cast(&*first), n, key_of, compare);
    } else {
        Array<Key> keys;
        keys.reserve(n);
        for (Iterator key = first; key != last; ++key) keys.push_back(*key);
        sort_plain_memory(keys.data(), n, key_of, compare);
        for (Key& key : keys) *first++ = std::move(key);
    }
}

template <typename Key, typename Value>
struct KeyAndValue {
    Key key;
    Value value;
};

template <typename Keys, typename Values, typename Compare>
void sort_keys_and_values(Keys first, Keys last, Values values, Compare compare) {
    using Element = KeyAndValue<ValueOf<Keys>, ValueOf<Values>>;
    Array<Element> elements;
    elements.reserve(static_cast<size_t>(last - first));
    Values value = values;
    for (Keys key = first; key != last; ++key, ++value) elements.push_back(Element{*key, *value});
    if (elements.size() < 2) return;
    sort_plain_memory(elements.data(), elements.size(), [](auto& element) -> auto& { return element.key; }, compare);
    for (Element& element : elements) {
        *first++ = std::move(element.key);
        *values++ = std::move(element.value);
    }
}

}  // namespace thrust_sort
}  // namespace simt

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {

template <typename Policy, typename Iterator, typename Compare>
void stable_sort(execution_policy<Policy>&, Iterator first, Iterator last, Compare compare) {
    ::simt::thrust_sort::sort_keys(first, last, compare);
}

template <typename Policy, typename Keys, typename Values, typename Compare>
void stable_sort_by_key(execution_policy<Policy>&, Keys first, Keys last, Values values, Compare compare) {
    ::simt::thrust_sort::sort_keys_and_values(first, last, values, compare);
}

}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END
