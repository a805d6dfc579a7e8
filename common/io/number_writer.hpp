// SPDX-License-Identifier: MIT
// Numbers out of a Unix filter: text, JSON, raw little-endian and .npy.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "common/io/chunk.hpp"
#include "common/io/output.hpp"
#include "common/io/quantities.hpp"

// Writes a filter's result in the format of its layout. JSON begins with the count of the numbers, so it is collected
// until that is known: small results in memory, large ones in an unlinked temporary file. So is any other result
// without an output to stream to.
class NumberWriter {
public:
    // `tool`: write one JSON object of that tool, in which "result" is a list, or a list of a matrix's rows.
    explicit NumberWriter(const NumberLayout& layout, const std::string& tool = "", Output* as_it_comes = nullptr);
    ~NumberWriter();
    NumberWriter(const NumberWriter&) = delete;
    NumberWriter& operator=(const NumberWriter&) = delete;

    void append(const Piece& piece);
    void append(const Chunk& chunk) {
        append(Piece{chunk.dtype, chunk.count, const_cast<std::byte*>(chunk.bytes.data())});
    }
    // The same in two steps: format() makes the text of a piece, in several threads at once, and append() appends it.
    void format(const Piece& piece, std::string& bytes) const;
    void append(const Piece& piece, std::string_view formatted);
    // The bytes that format()'s text may take for each number, with the room that a string keeps; 0 if it makes none.
    std::size_t text_bytes() const { return has_lines() ? 32 : 0; }
    // Writes the header that the layout asks for (with the type of the last chunk) and all appended elements that are not
    // written yet.
    void finish(Output& output, StepCount* count = nullptr);

private:
    bool has_lines() const { return layout_.format == NumberFormat::text && tool_.empty() && layout_.columns <= 1; }
    void note(const Piece& piece);
    void pass_on();
    void spill();
    void append_text(const std::string& number);

    NumberLayout layout_;
    std::string tool_;  // "" for a result that is not JSON
    Output* as_it_comes_;
    bool has_begun_ = false;
    std::size_t written_ = 0;  // elements
    std::string pending_;
    std::FILE* spilled_ = nullptr;
};

// A number as a filter prints it: the shortest text that reads back as the same value of that type.
std::string number_text(double value);
std::string number_text(float value);
std::string number_text(long long value);

// The same in JSON, where inf and nan have to be strings.
std::string json_value(const std::string& number);
// "tool":"reduce","dtype":"i64","n":10: the members that begin a filter's JSON object.
std::string json_members(const std::string& tool, DType dtype, std::size_t count);
