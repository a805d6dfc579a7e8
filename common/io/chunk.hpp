// SPDX-License-Identifier: MIT
// Consecutive elements of one type, what their file says about them, and how they become those of another type.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/dtype.hpp"

// What happens to a finite number outside the range of a floating-point type: an input number is refused; the result of
// a computation becomes infinite.
enum class Overflow { refused, infinite };

// Consecutive elements of one input.
struct Chunk {
    DType dtype = DType::f32;
    std::size_t count = 0;
    std::vector<std::byte> bytes;
    std::vector<std::size_t> negative_zeros = {};  // as in a slot

    template <typename T>
    T* as() {
        return reinterpret_cast<T*>(bytes.data());
    }
    template <typename T>
    const T* as() const {
        return reinterpret_cast<const T*>(bytes.data());
    }
    // The same elements in another type.
    Chunk converted_to(DType wanted, Overflow overflow = Overflow::refused) const;
};

// Converts n numbers to another type; there is room for n at `to`.
void convert(const void* from, DType from_dtype, void* to, DType to_dtype, std::size_t n,
             Overflow overflow = Overflow::refused);

// Integers have no negative zero: the places of those in a text are kept until the numbers get another type.
void write_negative_zeros(const std::vector<std::size_t>& places, void* numbers, DType dtype);

// The same in another's memory: a slot's, for example.
struct Piece {
    DType dtype = DType::f32;
    std::size_t count = 0;
    std::byte* bytes = nullptr;

    template <typename T>
    T* as() const {
        return reinterpret_cast<T*>(bytes);
    }
};

enum class NumberFormat { text, npy, raw };

// What an input's header says.
struct NumberLayout {
    NumberFormat format = NumberFormat::text;
    DType dtype = DType::i64;    // for text: i64 until the first number with a fraction
    DType stored = DType::i64;   // the type in the file: f16 is read as f32
    std::string shape = {};      // .npy: "(3, 4)"
    bool fortran_order = false;  // .npy
    // For a matrix: its numbers per line of text; 0: one number per line. For text that was read: 0 if its lines
    // differ.
    std::size_t columns = 0;
    std::size_t empty_rows = 0;    // of a matrix without columns: JSON shows them
    std::string stored_type = {};  // for elements as stored: .npy's name of their type, ">c8"
    std::size_t stored_bytes = 0;  // the size of such an element
};

// The extents of a .npy header's shape: "(3, 4)" is {3, 4}.
std::vector<std::size_t> extents_of(const std::string& shape);
