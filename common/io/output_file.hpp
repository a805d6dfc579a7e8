// A file to write as a whole: it appears complete or not at all, and keeps what its owner has set up. A link stays a
// link to the file that is replaced; a file keeps its mode, owner and other names; devices, pipes and "-", standard
// output, are written as they are.
#pragma once

#include <string>

class OutputFile {
public:
    // Throws Failure(output_error) if the path cannot be written to. A file that exists stays as it is until commit().
    explicit OutputFile(const std::string& path);
    ~OutputFile();  // removes what did not become final; so do std::quick_exit() and all signals that can be caught
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // What another process makes of so many bytes, and several write. Here, too, it is removed unless commit() is called, but
    // the name is the other one's to give.
    struct Unfinished {
        std::string path;
        long long bytes;
    };
    OutputFile(const std::string& path, const Unfinished& of_another);

    // The whole path; "" if the file is written as it is, or only once all is there.
    std::string unfinished_path() const;
    // Whether the new contents are not to be seen anywhere before commit(), although the file is an ordinary one.
    bool is_copied_at_end() const { return way_ == Way::copy; }
    // Where to write: any kind of file, and not always at its beginning.
    int descriptor() const { return descriptor_; }
    // The result is a program.
    void allow_execution();
    // Everything has been written: makes it final.
    void commit();

private:
    enum class Way { direct, replace, copy, joined };

    void open_directly();
    static void catch_ends_once();
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

// A file without a name in TMPDIR, for data that are too large for memory; -1 on failure, with errno.
int open_unnamed_file();

// Two paths of the same file have the same identity, be they links or written in another way. It is "" for what may be
// read and written by many at once, such as a terminal or /dev/null, and for input that does not exist. "-" is standard
// input or output.
std::string input_identity(const std::string& path);
bool is_read_once(const std::string& path);  // a pipe: two readers of one get parts of its bytes each
std::string output_identity(const std::string& path);
