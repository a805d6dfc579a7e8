// SPDX-License-Identifier: MIT
// Copies of short vectors as single accesses, for the instrumented build. The compiler would split the copy of an
// aggregate into its members, and the simulator would count four 4-byte requests where a GPU issues one of 16 bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A kernel accesses a vector of 16 bytes or more that is not aligned to 16. Does nothing on the host.
extern "C" void simt_misaligned_vector(const void* address, bool is_write);

namespace simt {

template <size_t bytes>
__attribute__((always_inline)) inline void check_alignment(const void* vector, bool is_write) {
    if (bytes >= 16 && reinterpret_cast<uintptr_t>(vector) % 16 != 0) simt_misaligned_vector(vector, is_write);
}

template <size_t bytes>
struct VectorWord {  // the widest single access is 16 bytes; wider vectors take several
    typedef char type __attribute__((vector_size(bytes < 16 ? bytes : 16), may_alias));
};

template <size_t bytes>
__attribute__((always_inline)) inline void copy_vector(void* to, const void* from) {
    using Word = typename VectorWord<bytes>::type;
    check_alignment<bytes>(from, false);
    check_alignment<bytes>(to, true);
    for (size_t i = 0; i < bytes / sizeof(Word); ++i) {
        static_cast<Word*>(to)[i] = static_cast<const Word*>(from)[i];
    }
}

}  // namespace simt

#ifdef SIMT_CHECKED
// The special members of a vector. Constructors replace aggregate initialization, which a type with its own copy
// constructor does not have: omitted members are zero.
#define SIMT_COPY_MEMBERS(vector)                                                                                     \
    vector() = default;                                                                                               \
    __attribute__((always_inline)) vector(const vector& other) { ::simt::copy_vector<sizeof(vector)>(this, &other); } \
    __attribute__((always_inline)) vector& operator=(const vector& other) {                                           \
        ::simt::copy_vector<sizeof(vector)>(this, &other);                                                            \
        return *this;                                                                                                 \
    }
#define SIMT_VECTOR2_COPY(vector, scalar) \
    SIMT_COPY_MEMBERS(vector)             \
    constexpr vector(scalar x_, scalar y_ = 0) : x(x_), y(y_) {}
#define SIMT_VECTOR4_COPY(vector, scalar) \
    SIMT_COPY_MEMBERS(vector)             \
    constexpr vector(scalar x_, scalar y_ = 0, scalar z_ = 0, scalar w_ = 0) : x(x_), y(y_), z(z_), w(w_) {}
#endif
