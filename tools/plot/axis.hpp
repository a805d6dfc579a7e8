// SPDX-License-Identifier: MIT
// Axes: which values they show, where, and how they are written: 4Ki, 10 us, 1.5 GB/s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plot {

// The unit of a column's numbers: a base unit, and how many of it a 1 stands for.
struct Quantity {
    std::string unit = {};  // "s", "B", "B/s", "FLOP/s", "Hz", "%"; "" for a count or a ratio
    double scale = 1;
    bool prefixes = true;  // k, M, G; n, u, m
};

// Follows from the suffix of the column's name: _ns, _us, _ms, _s, _bytes, gbyte_per_s, gflop_per_s, _per_s, _mhz,
// _percent; or from a time per something, _ns_per_launch.
Quantity quantity_of(const std::string& column);

// The words before that suffix, for an axis: "p25_ns" is "p25 time", "gbyte_per_s" "throughput", "p_ns_per_launch"
// "time per launch".
std::string label_of(const std::string& column);

// "4.6 TB/s", "10 us", "1024": about three digits. `binary`: 4Ki, 1 MiB, where that is exact.
std::string shown(double value, const Quantity& quantity, bool binary = false);

// With as many digits as it takes to tell it from a value that is `step` away: "1.00002 us".
std::string shown_apart(double value, double step, const Quantity& quantity);

// Whether an axis has a place for the value. (Sums and differences of such values do not overflow in any unit.)
bool has_place(double value, bool log);
constexpr const char* range_of_places = "that an axis has a place for (0, or 1e-280 to 1e280 in size)";

struct Tick {
    double value;
    std::string text;
};

struct Axis {
    std::string label;
    Quantity quantity = {};
    bool log = false;
    bool binary = false;  // powers of two
    double low = 0, high = 1;
    std::vector<Tick> names = {};  // of an axis of words: the only ticks

    // 0 at low, 1 at high; values far outside are clamped to -1 and 2.
    double position(double value) const;
    // Extends the range to the value. On a logarithmic axis only values above 0 count.
    void include(double value);
    // To be called after the last include(): adds room at the ends, and makes a range if all values are the same.
    // `from_zero` for bars.
    void finish(bool from_zero, double margin);
    // At most `most` ticks in ascending order; fewer if `letters` letters are too few for their texts, but at least
    // two.
    std::vector<Tick> ticks(std::size_t most, std::size_t letters = SIZE_MAX) const;

private:
    std::vector<Tick> log_ticks(std::size_t most) const;
    std::vector<Tick> linear_ticks(std::size_t most) const;
    bool is_empty_ = true;
};

}  // namespace plot
