// The three readers behind NumberReader::open, and the .npy header.
#pragma once

#include <memory>

#include "common/io/input_file.hpp"
#include "common/io/numbers.hpp"

std::unique_ptr<NumberReader> open_text(std::unique_ptr<InputFile> file);
std::unique_ptr<NumberReader> open_raw(std::unique_ptr<InputFile> file, DType dtype,
                                       Elements elements);  // one of raw_dtypes()
std::unique_ptr<NumberReader> open_npy(std::unique_ptr<InputFile> file, Elements elements);

// The element types that raw data can have.
std::vector<DType> raw_dtypes();

// Magic, version 1.0, header length and dictionary, padded to 64 bytes (NumPy's format description, NEP 1).
std::string npy_header(const NumberLayout& layout);
