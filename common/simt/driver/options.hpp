// SPDX-License-Identifier: MIT
// The command line of simcc: that of nvcc, as far as it makes sense for a simulator.
//
// The room holds the steps of simcc, which tools/simcc chains: in come the command line and the texts that the compiler
// and the rewriter make, out go the commands to run next (toolchain.hpp, process.hpp) and, for checked code, the
// assembly with what the checkers need to know (assembly.hpp).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/progress.hpp"
#include "common/simt/rewrite/cuda_to_cxx.hpp"

namespace simcc {

/// An invalid command line: exit code 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// How far a source file is processed.
enum class Stage {
    preprocess,   ///< -E: to standard output or the -o file
    rewrite,      ///< -cuda: FILE.cu.cpp.ii, plain C++ for g++ -fpreprocessed
    compile,      ///< -c, -dc: to an object file for each source
    device_link,  ///< -dlink: the object file that nvcc needs after -dc; empty here
    archive,      ///< -lib
    link,         ///< an executable, or with -shared a library
};

enum class Language { cuda, cxx, c, link_item };

/// One input of the command line, in its order: a source, or an object, archive, -l or -L for the linker.
struct Input {
    Language language;
    std::string text;
};

struct Dependencies {
    bool wanted = false;  ///< -MMD or -MD: a dependency file next to the object
    bool only = false;    ///< -MM or -M: dependencies instead of the preprocessed text
    bool system_headers = false;
    std::string file;                  ///< -MF; empty: the object's name with .d
    std::vector<std::string> targets;  ///< -MT and -MQ, in g++'s form
    bool phony = false;                ///< -MP
};

struct Options {
    bool help = false, short_help = false, version = false;
    Stage stage = Stage::link;
    std::vector<Input> inputs;
    std::string language = "none";  ///< -x: of the sources after it; none: by suffix
    std::string output;
    std::string output_folder;  ///< -odir: for object files that -o does not name
    std::string standard = "-std=c++17";
    std::string optimization = "-O3", debug = "-g1";
    bool checked = false;           ///< --check, -G: every load and store of device code reports itself to the checkers
    Lanes lanes = Lanes::in_loops;  ///< -lanes: what the threads of a block run on
    bool shared = false;            ///< -shared
    bool runtime = true;            ///< not with -cudart none: the simulator is linked into the result
    bool relocatable = false;       ///< -rdc=true, -dc: device variables are shared between files
    unsigned cuda_arch = 900;       ///< the value of __CUDA_ARCH__; 0: not defined
    std::vector<std::string> architectures;  ///< -arch and -gencode: all numbers, with an a or f if they had one
    std::vector<std::string> own_macros;     ///< by which a program can ask for options, as nvcc defines them
    Dependencies dependencies;
    std::vector<std::string> preprocessor;    ///< -I, -D, -U, -include: first stage only
    std::vector<std::string> system_folders;  ///< -isystem: searched last, compiled like the program's own
    std::vector<std::string> compiler;        ///< -Xcompiler and warnings: every stage
    std::vector<std::string> linker;          ///< -Xlinker and friends, before the inputs
    bool run = false;                         ///< -run: execute the result, then delete it
    std::vector<std::string> run_arguments;
    std::vector<std::string> unknown;  ///< options without a row: an error, or for g++
    bool forward_unknown = false;      ///< with -forward-unknown-to-host-compiler
    bool no_warnings = false;
    bool keep = false, verbose = false, dry_run = false;
    ShowSteps progress = ShowSteps::when_long;
    std::vector<std::string> warnings;  ///< about ignored options, for stderr
};

/// Reads the arguments after the program's name. Throws UsageError.
Options parse_options(const std::vector<std::string>& arguments);

/// The text of --help, or of -h: two examples and the ten options that people use.
std::string help_text(bool is_short);

// ---- the one table of simcc's options: the parser and --help read it, and the manual page follows it

enum class Argument {
    none,
    required,  ///< -name VALUE or -name=VALUE
    joined,    ///< -nVALUE as well
};

struct OptionRow {
    std::string_view name, long_name;  ///< without dashes
    Argument argument;
    void (*apply)(Options&, const std::string& value);
    std::string_view help;     ///< empty: accepted for compatibility with nvcc, but not listed
    bool is_everyday = false;  ///< -h shows it, too
};

/// The row of the option `name` (without dashes, short or long), or nullptr.
const OptionRow* find_option(std::string_view name);
/// The row of an option that takes its value joined, such as -DNAME, or nullptr.
const OptionRow* find_joined_option(char letter);
/// What a shell offers to complete `word`, the beginning of an option: lines with a name, a tab and its help.
std::string completion_text(const std::string& word);
/// All names as typed: -o, --output-file, ...
std::vector<std::string> option_names();

}  // namespace simcc
