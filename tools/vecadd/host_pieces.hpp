// SPDX-License-Identifier: MIT
// The sum of two pieces by one core with its vector units.
#pragma once

#include <cstddef>

// c = a + b. Returns the index of the first sum that T cannot hold, or n if there is none. An infinity that comes from
// a or b counts as held.
template <typename T>
std::size_t add_pieces(const T* a, const T* b, T* c, std::size_t n);

// The same without keeping the sums.
template <typename T>
std::size_t find_overflow(const T* a, const T* b, std::size_t n);
