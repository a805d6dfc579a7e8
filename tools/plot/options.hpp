// SPDX-License-Identifier: MIT
// The options of plot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"

namespace plot {

enum class Kind { automatic, lines, bars, histogram, violin, timeline, roofline };
constexpr Choice<Kind> kinds[] = {{"auto", Kind::automatic},   {"lines", Kind::lines},
                                  {"bars", Kind::bars},        {"histogram", Kind::histogram},
                                  {"violin", Kind::violin},    {"timeline", Kind::timeline},
                                  {"roofline", Kind::roofline}};
// Whether a drawing shows all samples, rather than a number for each row.
constexpr bool is_of_samples(Kind kind) { return kind == Kind::histogram || kind == Kind::violin; }

enum class LogAxes { automatic, x, y, xy, none };
constexpr Choice<LogAxes> log_axes[] = {
    {"auto", LogAxes::automatic}, {"x", LogAxes::x}, {"y", LogAxes::y}, {"xy", LogAxes::xy}, {"none", LogAxes::none}};

// What a drawing in a terminal is made of.
enum class Characters { automatic, braille, blocks, ascii };
constexpr Choice<Characters> characters[] = {{"auto", Characters::automatic},
                                             {"braille", Characters::braille},
                                             {"blocks", Characters::blocks},
                                             {"ascii", Characters::ascii}};

struct Size {
    std::size_t width, height;
};

struct Settings {
    std::string x, y, where, title;
    std::vector<std::string> by, annotate;
    Kind kind = Kind::automatic;
    LogAxes log = LogAxes::automatic;
    Characters made_of = Characters::automatic;
    std::optional<Size> size;  // in characters, or in pixels
    bool gnuplot = false;      // print the script

    void add_options(OptionTable& table);
    // Failure(usage) if an option means nothing to this kind of drawing; never for the automatic kind.
    void refuse_ignored(Kind drawn) const;
};

}  // namespace plot
