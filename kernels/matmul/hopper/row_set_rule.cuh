#pragma once
// Which products are read in sets of rows: see row_sets.cuh. Also for the models, which need no GPU.
#include <cstddef>

namespace BACKEND {

/// How many sets of rows there are: as many as elements in the 16 bytes that TMA wants rows to be multiples of apart.
constexpr size_t row_sets_of(size_t element_bytes) { return 16 / element_bytes; }

/// Whether rows have to be read in sets, and can be: not all begin at multiples of 16 bytes, and both matrices have
/// rows in every set. A launch that reads them so gets no workspace for copies.
constexpr bool suits_row_sets(size_t m, size_t n, size_t k, size_t batch, size_t element_bytes) {
    const size_t sets = row_sets_of(element_bytes);
    return (k % sets != 0 || n % sets != 0) && batch == 1 && m >= sets && k >= sets;
}

}  // namespace BACKEND
