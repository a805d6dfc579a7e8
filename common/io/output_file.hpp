// SPDX-License-Identifier: MIT
// A file to write as a whole: it appears complete or not at all, and keeps what its owner has set up. A link stays a
// link to the file that is replaced; a file keeps its mode, owner and other names; devices, pipes and "-", standard
// output, are written directly.
#pragma once

#include <string>

class OutputFile {
public:
    // Throws Failure(output_error) if the path cannot be written to. A file that exists stays as it is until commit().
    explicit OutputFile(const std::string& path);
    ~OutputFile();  // removes an unfinished file; so do std::quick_exit() and all signals that can be caught
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // A file of so many bytes that another process has created and several write. It, too, is removed unless commit()
    // is called, but the other process gives it its name.
    struct Unfinished {
        std::string path;
        long long bytes;
    };
    OutputFile(const std::string& path, const Unfinished& of_another);

    // The absolute path; "" if the file is written directly, or only once everything is there.
    std::string unfinished_path() const;
    // Whether an ordinary file gets its new contents only in commit().
    bool is_copied_at_end() const { return way_ == Way::copy; }
    // Where to write: any kind of file, and not always at its beginning.
    int descriptor() const { return descriptor_; }
    // Makes the file executable.
    void allow_execution();
    // Makes the file final, after everything has been written.
    void commit();

private:
    enum class Way { direct, replace, copy, joined };

    void open_directly();
    void open_beside();
    bool open_replacement(const struct stat& existing);
    void copy_to_path();
    void discard();
    [[noreturn]] void fail_open(const std::string& remedy) const;

    const std::string given_;  // as the user wrote it
    std::string path_;         // the file at the end of all links
    std::string unfinished_;   // the new file's name until commit(); "" for none
    Way way_ = Way::direct;
    int descriptor_ = -1;
    bool is_executable_ = false;
};

// A descriptor for a file without a name in TMPDIR, for data too large for memory; -1 on failure, with errno.
int open_unnamed_file();

// All paths of one file have the same identity, even through links or if they are spelled differently. It is "" for
// what many may read and write at once, such as a terminal or /dev/null, and for input that does not exist. "-" is
// standard input or output.
std::string input_identity(const std::string& path);
bool is_read_once(const std::string& path);  // a pipe: each of two readers would get only some of its bytes
std::string output_identity(const std::string& path);
