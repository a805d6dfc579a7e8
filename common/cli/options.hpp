// One parser and one table of options for all programs (CLI11 does the parsing).
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/io/numbers.hpp"
#include "common/measure/settings.hpp"

enum class When { automatic, always, never };

struct Options : MeasureSettings {
    std::string device;
    bool list = false;
    std::string sizes;                 // as typed: parse_sizes() reads it
    std::vector<std::string> kernels;  // names or globs; empty for all
    std::optional<DType> dtype;
    std::string format;  // "" for human on a terminal and csv elsewhere
    std::string output_path;
    bool quiet = false, verbose = false;
    When color = When::automatic, progress = When::automatic;
    std::optional<InputFormat> input_format;  // none: what the input looks like
    std::vector<std::string> operands;
    std::map<std::string, std::string> own;  // the program's options by long name; flags are "1" when given
    std::set<std::string> given;             // long names of the options that were typed

    bool is_given(const std::string& long_name) const { return given.count(long_name) > 0; }
};

// Reads the command line. --help and --version print to standard output and set `done`.
// Throws Failure(usage) with one message that names the nearest option for a misspelt one.
Options parse_options(const Program& program, int argc, char** argv, bool& done);

// A count with an optional suffix: k M G T are powers of 1000, Ki Mi Gi Ti of 1024. `what` names it in the error, which is
// Failure(usage), also for a count above `largest`.
std::size_t parse_count(const std::string& text, const std::string& what,
                        std::size_t largest = std::numeric_limits<std::size_t>::max());

// Far beyond any memory, and small enough that bytes of a few arrays of this size do not overflow.
constexpr std::size_t largest_size = std::size_t{1} << 56;

// Elements that --offset can move an array by: more than any alignment needs.
constexpr std::size_t largest_offset = std::size_t{1} << 20;

// "1Ki,4Mi", "A:B:xF" (geometric) or "A:B:+S" (arithmetic, both ends included).
std::vector<std::size_t> parse_sizes(const std::string& list);

// The common options that apply to a program, then its own.
std::vector<OptionSpec> option_table(const Program& program);
