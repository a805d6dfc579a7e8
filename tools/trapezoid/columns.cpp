// SPDX-License-Identifier: MIT
#include "tools/trapezoid/columns.hpp"

#include <cmath>
#include <limits>

#include "common/io/text.hpp"

namespace {

constexpr int most_places = 60;

// A number with so many significant digits, in fixed point.
Cell significant(double value, int digits) { return computed(value, value == 0 ? digits - 1 : 0, digits); }

// A number with as many digits as tell it from all others, in fixed point.
Cell in_full(double value) {
    int places = 0;
    while (places < most_places && std::stod(text("{:.{}f}", value, places)) != value) ++places;
    return Fixed{value, places};
}

using Of = TrapezoidCells;

// (Programs are initialized before main() begins, in no fixed order.)
// clang-format off
const std::vector<ColumnOf<Of>>& columns() {
    static const std::vector<ColumnOf<Of>> rows = {
        {{"p_function"}, [](const Of& of) -> Cell { return of.function; }},
        {{"p_from"}, [](const Of& of) { return in_full(of.from); }},
        {{"p_to"}, [](const Of& of) { return in_full(of.to); }},
        {{"p_integral", "integral", 1, 9, 13}, [](const Of& of) { return significant(of.integral, of.digits); }},
        {{"p_off_closed_form", "off closed form", 1, 12, 15, 5},
         [](const Of& of) { return significant(of.off_closed_form, 4); }},
        {{"p_off_reference"}, [](const Of& of) { return significant(of.off_reference, 4); }},
        {{"p_richardson", "richardson", 1, 9, 13, 7},
         [](const Of& of) { return significant(of.richardson, of.digits); }},
        {{"p_order", "order", 1, 3, 6, 4}, [](const Of& of) -> Cell { return Fixed{of.order, 4}; }},
        {{"p_block_steps", "steps in a block", 1, 0, 0, 3},
         [](const Of& of) { return whole_if_any(of.steps.in_block); }},
        {{"p_steps", "in all", 1, 0, 9, 2}, [](const Of& of) -> Cell { return whole(of.steps.in_all); }},
    };
    return rows;
}
// clang-format on

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<Column> trapezoid_columns() { return columns_of(columns()); }

std::vector<Cell> cells_of(const TrapezoidCells& cells) { return cells_of(columns(), cells); }

void Convergence::add(const Variant& variant, std::size_t n, double integral, double rounding) {
    results_[{&variant, n}] = {integral, rounding};
}

bool Convergence::has(const Variant& variant, std::size_t n) const { return results_.count({&variant, n}) > 0; }

Convergence::Result Convergence::at(const Variant& variant, std::size_t n, std::size_t divisor) const {
    const auto found = n % divisor == 0 ? results_.find({&variant, n / divisor}) : results_.end();
    return found == results_.end() ? Result{unknown, unknown} : found->second;
}

double Convergence::change(const Variant& variant, std::size_t n) const {
    return at(variant, n, 1).integral - at(variant, n, 2).integral;
}

double Convergence::richardson(const Variant& variant, std::size_t n) const {
    return at(variant, n, 1).integral + change(variant, n) / 3;
}

double Convergence::order(const Variant& variant, std::size_t n) const {
    const Result whole = at(variant, n, 1), half = at(variant, n, 2), quarter = at(variant, n, 4);
    const double last = whole.integral - half.integral, before = half.integral - quarter.integral;
    const bool is_rounding = std::fabs(last) < 8 * (whole.rounding + half.rounding);
    return last != 0 && before / last > 0 && !is_rounding ? std::log2(before / last) : unknown;
}
