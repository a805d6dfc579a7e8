// SPDX-License-Identifier: MIT
// Which axes are logarithmic, where the options leave it open.
#include <algorithm>
#include <cmath>
#include <string>

#include "tools/plot/axis.hpp"
#include "tools/plot/choice.hpp"

namespace plot {
namespace {

// Whether a column says how large the problem is.
bool is_size(const std::string& column) { return column == "n" || column == "size" || quantity_of(column).unit == "B"; }

struct Range {
    double low = INFINITY, high = 0;
    bool any_below = false;  // 0 or less, which a logarithmic axis has no place for
    bool of_powers = true;   // of two
    bool is_wider(double factor) const { return !any_below && high > low * factor; }
};

Range range_of(const Data& data, const std::string& column) {
    const Field field = data.field(column);
    Range range;
    for (const RowOf row : data.rows()) {
        const double number = field.number(row);
        int exponent = 0;
        range.any_below |= number <= 0;
        range.of_powers &= std::isnan(number) || std::frexp(number, &exponent) == 0.5;
        if (std::isfinite(number)) range.low = std::min(range.low, number), range.high = std::max(range.high, number);
    }
    return range;
}

// An axis of sizes is logarithmic, so that equal factors are equal distances, unless there is hardly any factor to see.
// All other axes need a wide range for that.
constexpr double hardly_any = 2, wide = 30;

}  // namespace

void choose_log_axes(const Data& data, const Settings& settings, Choices& chosen) {
    const LogAxes log = settings.log;
    chosen.log_x = log == LogAxes::x || log == LogAxes::xy;
    chosen.log_y = log == LogAxes::y || log == LogAxes::xy;
    if (log != LogAxes::automatic) return;
    const Range x = chosen.kind == Kind::lines ? range_of(data, chosen.x) : Range{}, y = range_of(data, chosen.y);
    const bool is_sweep = chosen.kind == Kind::lines && is_size(chosen.x);
    chosen.log_x = x.is_wider(is_sweep ? hardly_any : x.of_powers ? 1 : wide);
    // A bar must begin at 0 to be readable; only of times that span decades would nothing be left to see.
    const bool begins_at_zero = chosen.kind == Kind::bars && is_better_when_larger(chosen.y);
    chosen.log_y = !begins_at_zero && y.is_wider(is_sweep ? hardly_any : wide);
}

}  // namespace plot
