// The sum of two pieces by one core with its vector units.
#pragma once

#include <cstddef>

// c = a + b. Returns where the first sum is that is none, because T cannot hold it: n, if all are. An infinity that was
// in a or b is one.
template <typename T>
std::size_t add_pieces(const T* a, const T* b, T* c, std::size_t n);

// The same without keeping the sums.
template <typename T>
std::size_t find_overflow(const T* a, const T* b, std::size_t n);
