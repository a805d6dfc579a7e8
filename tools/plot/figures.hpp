// SPDX-License-Identifier: MIT
// From rows to a figure, one function for each kind.
#pragma once

#include <string>
#include <vector>

#include "tools/plot/choice.hpp"
#include "tools/plot/figure.hpp"

namespace plot {

// Failure(bad_input) if there is nothing that can be drawn.
Figure figure_of(const Data& data, const Choices& chosen, const Settings& settings);

Figure lines_of(const Data& data, const Choices& chosen, const Settings& settings);
Figure bars_of(const Data& data, const Choices& chosen, const Settings& settings);
Figure histogram_of(const Data& data, const Choices& chosen);
Figure violin_of(const Data& data, const Choices& chosen);
Figure timeline_of(const Data& data, const Settings& settings);
Figure roofline_of(const Data& data, const Choices& chosen, const Settings& settings);

// ---- what they share

// "kernel: tagged", a line for each column that says something.
std::string hover_of(const Data& data, RowOf row);
// Failure(bad_input): the column has no number that can be shown.
[[noreturn]] void fail_without_numbers(const std::string& column, bool log);
// What these columns say, for --annotate.
std::string note_of(const Data& data, const std::vector<std::string>& columns, RowOf row);
Quartiles quartiles_of(std::vector<double> numbers);
// The quartiles of a measurement, or the interval of a prediction, from the columns beside it; nan where there are none.
class Band {
public:
    Band(const Data& data, const std::string& y);
    bool exists() const { return kind_ != Of::none; }
    Quartiles of(RowOf row) const;

private:
    enum class Of { none, time, rate } kind_ = Of::none;
    Field y_, p25_, median_, p75_;
};

// Series are told apart by colors, and files by dashes; predictions have the color of what was measured. When colors
// run out, they are reused with other dashes.
void set_colors(std::vector<Series>& series, const std::vector<Group>& groups, const Data& data,
                const std::vector<Field>& by);
// Whether what is drawn of a row was predicted rather than measured.
bool is_prediction(const Data& data, const std::string& y, RowOf row);
constexpr const char* interval_words = "error bars: 80 % interval";

}  // namespace plot
