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

    // Instead of write(): a file that several processes write, each its parts. One of them makes room for so many bytes; the
    // others join it by the path that it returns, and for them there is no other output any more.
    // Throws Failure(usage) if the output is no such file.
    std::string make_parts(std::size_t bytes);
    void join_parts(const std::string& path, const std::string& unfinished, std::size_t bytes);
    void write_part(std::size_t place, std::string_view bytes);
    // All that this process writes there has been written. (A network file system says only now whether it could be.)
    void end_parts();

    // Makes the result final: flushes, and gives a file its name.
    void commit();
    bool is_terminal() const;

private:
    void open_target();
    [[noreturn]] void fail_write() const;

    std::string path_;
    std::optional<OutputFile> target_;  // none: standard output
    std::FILE* file_;
};
