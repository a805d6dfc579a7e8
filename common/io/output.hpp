// Standard output, or the file of --output: every write is checked, and a file appears complete or not at all.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

class Output {
public:
    // `path` "" is standard output. Throws Failure(output_error) if the file cannot be created.
    explicit Output(const std::string& path);
    ~Output();  // removes the file of a run that did not commit
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view bytes);
    void flush();
    // Makes the result final: flushes, and gives a file its name.
    void commit();
    bool is_terminal() const;

private:
    [[noreturn]] void fail_write() const;

    std::string path_, unfinished_path_;
    std::FILE* file_;
};
