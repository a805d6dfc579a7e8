// SPDX-License-Identifier: MIT
#include "tools/plot/options.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "common/cli/sizes.hpp"
#include "common/io/text.hpp"

namespace plot {
namespace {

Size parse_size(const std::string& words) {
    const std::size_t cross = words.find('x');
    const auto extent = [&](const std::string& word) {
        const std::size_t count = parse_count(word, "--size", 10000);
        if (count < 10) fail(Exit::usage, "--size '{}' is too small: at least 10x10", words);
        return count;
    };
    if (cross == words.npos) fail(Exit::usage, "--size '{}' is not WIDTHxHEIGHT, as in 800x500", words);
    return {extent(words.substr(0, cross)), extent(words.substr(cross + 1))};
}

}  // namespace

void Settings::refuse_ignored(Kind drawn) const {
    if (drawn == Kind::automatic) return;
    const bool is_trace = drawn == Kind::timeline, is_roofline = drawn == Kind::roofline;
    const bool has_columns = is_trace || is_roofline;  // of its own
    const bool logs_x = log == LogAxes::x || log == LogAxes::xy, is_lines = drawn == Kind::lines;
    const std::pair<bool, const char*> ignored[] = {
        {!x.empty() && !is_lines && (drawn != Kind::bars || !by.empty()), "-x"},
        {!y.empty() && has_columns, "-y"},
        {!by.empty() && is_trace, "--by"},
        {log != LogAxes::automatic && has_columns, "--log"},
        {logs_x && !is_lines, "--log x"},
        {!annotate.empty() && is_of_samples(drawn), "--annotate"},
    };
    const auto is_drawn = [=](const Choice<Kind>& choice) { return choice.value == drawn; };
    const char* kind_name = std::find_if(std::begin(kinds), std::end(kinds), is_drawn)->word;
    for (const auto& [given, option] : ignored)
        if (given)
            fail(Exit::usage, "{} means nothing to {}{}: leave it out, or choose another --kind", option, kind_name,
                 drawn == Kind::bars && option == std::string("-x") ? " beside --by" : "");
}

void Settings::add_options(OptionTable& table) {
    table.choice("--kind", "KIND", "what to draw; auto goes by the columns", kind, kinds);
    table.text("-x,--x", "COLUMN", "the column along the x axis", x);
    table.text("-y,--y", "COLUMN", "the column along the y axis, or that bars measure", y);
    table.list("--by", "COLUMNS", "a series, or a bar, for each word in these columns", by);
    table.text("--where", "CONDITIONS", "rows to draw, as in 'kernel=cub|shared-*,n>=1Ki'", where);
    table.choice("--log", "AXES", "which axes are logarithmic", log, log_axes);
    table.text("--title", "TEXT", "the title, instead of one made from the rows", title);
    table.list("--annotate", "COLUMNS", "write what these columns say beside points and bars", annotate);
    table.choice("--characters", "KIND", "what a drawing in the terminal is made of", made_of, characters);
    table.read("--size", "WxH", "its size: in characters, or of a picture in pixels", "", size, parse_size);
    table.flag("--gnuplot", "print the script from which gnuplot draws it", gnuplot);
}

}  // namespace plot
