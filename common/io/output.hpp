// SPDX-License-Identifier: MIT
// Standard output, or the file of --output: every write is checked, and a file appears complete or not at all.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "common/io/output_file.hpp"

// Call this before opening any file: it keeps the standard descriptors that the caller has closed from becoming other
// files, to which output or messages would then be written.
void hold_standard_descriptors();

class Output {
public:
    // `path` "" and "-" are standard output. Throws Failure(output_error) if the file cannot be created.
    explicit Output(const std::string& path);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view bytes);
    // Words for people and the end of the line: broken at blanks into lines of at most width().
    void write_wrapped(const std::string& words);
    void flush();

    // Instead of write(): for a file of which several processes write parts. One process makes room for `bytes` bytes;
    // the others join it with the path that it returns, and from then on have no other output.
    // Throws Failure(usage) if the output is not such a file.
    std::string make_parts(std::size_t bytes);
    void join_parts(const std::string& path, const std::string& unfinished, std::size_t bytes);
    void write_part(std::size_t place, std::string_view bytes);
    // This process has written all of its parts. (A network file system only reports now whether it could write them.)
    void end_parts();

    // Makes the result final: flushes, and gives a file its name.
    void commit();
    bool is_terminal() const;
    // Of a line for people: as wide as the terminal, or as COLUMNS says; elsewhere no_limit.
    std::size_t width() const;

private:
    void open_target();
    [[noreturn]] void fail_write() const;

    std::string path_;
    std::optional<OutputFile> target_;  // none: standard output
    std::FILE* file_;
};
