// Standard output, or the file of --output: every write is checked, and a file appears complete or not at all.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "common/io/output_file.hpp"

// Before any file is opened: of the standard descriptors that the caller has closed none becomes another file's, which
// output or messages would then be written to.
void hold_standard_descriptors();

class Output {
public:
    // `path` "" and "-" are standard output. Throws Failure(output_error) if the file cannot be created.
    explicit Output(const std::string& path);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view bytes);
    void flush();
    // Makes the result final: flushes, and gives a file its name.
    void commit();
    bool is_terminal() const;

private:
    [[noreturn]] void fail_write() const;

    std::string path_;
    std::optional<OutputFile> target_;  // none: standard output
    std::FILE* file_;
};
