// SPDX-License-Identifier: MIT
#include "tools/plot/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace plot {
namespace {

struct Suffix {
    const char* text;
    Quantity quantity;
    const char* noun;  // completes the words before it
};

const std::array<Suffix, 17>& suffixes() {
    static const std::array<Suffix, 17> all = {{{"gbyte_per_s", {"B/s", 1e9}, "throughput"},
                                                {"mbyte_per_s", {"B/s", 1e6}, "throughput"},
                                                {"byte_per_s", {"B/s", 1}, "throughput"},
                                                {"tflop_per_s", {"FLOP/s", 1e12}, "arithmetic throughput"},
                                                {"gflop_per_s", {"FLOP/s", 1e9}, "arithmetic throughput"},
                                                {"top_per_s", {"OP/s", 1e12}, "operations"},
                                                {"gop_per_s", {"OP/s", 1e9}, "operations"},
                                                {"_per_s", {"/s", 1}, ""},
                                                {"_percent", {"%", 1, false}, ""},
                                                {"_bytes", {"B", 1}, ""},
                                                {"_mhz", {"Hz", 1e6}, ""},
                                                {"_ns", {"s", 1e-9}, "time"},
                                                {"_us", {"s", 1e-6}, "time"},
                                                {"_ms", {"s", 1e-3}, "time"},
                                                {"_seconds", {"s", 1}, "time"},
                                                {"_s", {"s", 1}, "time"},
                                                {"_ratio", {"", 1, false}, "ratio"}}};
    return all;
}

const Suffix* suffix_of(const std::string& column) {
    for (const Suffix& suffix : suffixes()) {
        const std::string text = suffix.text;
        if (column.size() >= text.size() && column.compare(column.size() - text.size(), text.size(), text) == 0)
            return &suffix;
    }
    return nullptr;
}

// The parts of a column's name: "p99_ns_per_launch" is the suffix "_ns" between the words "p99" and " per launch".
struct NameParts {
    const Suffix* suffix = nullptr;
    std::string before, after = {};
};

NameParts parts_of(std::string column) {
    if (column.compare(0, 2, "p_") == 0) column.erase(1, 1), column[0] = '_';
    NameParts parts{suffix_of(column), column};
    // The end of a name "..._per_..." says nothing about the unit, but a time before it does.
    if (const std::size_t per = column.find("_per_"); !parts.suffix && per != column.npos) {
        const std::string before = (column[0] == '_' ? "" : "_") + column.substr(0, per);
        if (const Suffix* time = suffix_of(before); time && time->quantity.unit == "s")
            parts = {time, before, column.substr(per)};
    }
    if (parts.suffix) parts.before.erase(parts.before.size() - std::string(parts.suffix->text).size());
    return parts;
}

std::string with_blanks(std::string words) {
    std::replace(words.begin(), words.end(), '_', ' ');
    words.erase(0, words.find_first_not_of(' '));
    return words.erase(words.find_last_not_of(' ') + 1);
}

constexpr int most_digits = 17;  // a double has no more

// Significant digits; at least three of very large and very small numbers. Without an exponent where that is short, and
// without trailing zeros.
std::string digits_of(double value, int digits) {
    char text[64];
    const double size = std::abs(value);
    if (size != 0 && (size >= 1e6 || size < 1e-4)) {
        std::snprintf(text, sizeof text, "%.*g", std::clamp(digits, 3, most_digits), value);
        return text;
    }
    const int whole = size == 0 ? 0 : static_cast<int>(std::floor(std::log10(size)));
    std::snprintf(text, sizeof text, "%.*f", std::clamp(digits - 1 - whole, 0, most_digits), value);
    std::string shown = text;
    if (shown.find('.') != shown.npos) {
        shown.erase(shown.find_last_not_of('0') + 1);
        if (shown.back() == '.') shown.pop_back();
    }
    return shown == "-0" ? "0" : shown;
}

struct Prefix {
    double factor;
    const char* text;
};

// "4Ki" for 4096; "" if that is not exact.
std::string binary_text(double value, const std::string& unit) {
    constexpr const char* prefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
    std::size_t power = 0;
    while (power < 5 && value >= 1024 && std::fmod(value, 1024) == 0) value /= 1024, ++power;
    if (value != std::trunc(value) || value >= 1e6) return "";
    return digits_of(value, 6) + (unit.empty() ? "" : " ") + prefixes[power] + unit;
}

std::string shown_with(double value, const Quantity& quantity, int digits) {
    constexpr Prefix prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"}, {1e3, "k"},
                                   {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    const double base = value * quantity.scale, size = std::abs(base);
    const std::string space = quantity.unit.empty() ? "" : " ";
    if (base == 0) return "0";
    // There are no kiloseconds, and no thousandths of a count.
    const bool is_time = quantity.unit == "s";
    const std::size_t largest = is_time ? 5 : 0, smallest = is_time ? 8 : 5;
    const bool is_beyond = size >= 1e3 * prefixes[largest].factor || size < 1e-6 * prefixes[smallest].factor;
    if (!quantity.prefixes || is_beyond) return digits_of(base, digits) + space + quantity.unit;
    const auto digits_with = [&](std::size_t i) { return digits_of(base / prefixes[i].factor, digits); };
    std::size_t i = largest;
    while (i < smallest && size < prefixes[i].factor * (1 - 1e-9)) ++i;
    // (999.9 ns with three digits are 1 us.)
    if (i > largest && std::abs(std::strtod(digits_with(i).c_str(), nullptr)) >= 1000) --i;
    return digits_with(i) + space + prefixes[i].text + quantity.unit;
}

}  // namespace

Quantity quantity_of(const std::string& column) {
    const Suffix* suffix = parts_of(column).suffix;
    return suffix ? suffix->quantity : Quantity{};
}

std::string label_of(const std::string& column) {
    const NameParts parts = parts_of(column);
    std::string label = with_blanks(parts.before);
    for (const std::string& more : {parts.suffix ? std::string(parts.suffix->noun) : "", with_blanks(parts.after)})
        if (!more.empty()) label += (label.empty() ? "" : " ") + more;
    return label.empty() ? with_blanks(column.compare(0, 2, "p_") == 0 ? column.substr(2) : column) : label;
}

std::string shown(double value, const Quantity& quantity, bool binary) {
    if (!std::isfinite(value)) return std::isnan(value) ? "-" : value > 0 ? "inf" : "-inf";
    if (binary)
        if (const std::string exact = binary_text(value * quantity.scale, quantity.unit); !exact.empty()) return exact;
    return shown_with(value, quantity, 3);
}

std::string shown_apart(double value, double step, const Quantity& quantity) {
    const double digits = value == 0 ? 1 : std::floor(std::log10(std::abs(value))) - std::floor(std::log10(step)) + 2;
    return shown_with(value, quantity, static_cast<int>(std::clamp(digits, 1.0, double{most_digits})));
}

bool has_place(double value, bool log) {
    return std::abs(value) <= 1e280 && (log ? value >= 1e-280 : value == 0 || std::abs(value) >= 1e-280);
}

double Axis::position(double value) const {
    const double at = !log         ? (value - low) / (high - low)
                      : value <= 0 ? 0
                                   : (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
    return std::isnan(at) ? -1 : std::clamp(at, -1.0, 2.0);
}

void Axis::include(double value) {
    if (!has_place(value, log)) return;
    low = is_empty_ ? value : std::min(low, value);
    high = is_empty_ ? value : std::max(high, value);
    is_empty_ = false;
}

void Axis::finish(bool from_zero, double margin) {
    if (is_empty_) low = log ? 1 : 0, high = log ? 10 : 1;
    if (log) {
        if (low == high) low /= 2, high *= 2;
        // (The quotient of the limits may be no number.)
        const double room = std::exp(margin * (std::log(high) - std::log(low)));
        low = std::max(1e-300, low / (from_zero ? std::max(room, 1.2) : room));
        high = std::min(1e300, high * room);
        return;
    }
    if (from_zero) low = std::min(low, 0.0), high = std::max(high, 0.0);
    if (low == high) {
        const double half = low == 0 ? 1 : std::abs(low) / 2;
        low -= half, high += half;
    }
    const double room = (high - low) * margin;
    if (!(from_zero && low == 0)) low -= room;
    if (!(from_zero && high == 0)) high += room;
}

std::vector<Tick> Axis::log_ticks(std::size_t most) const {
    std::vector<Tick> ticks;
    const double base = binary ? 2 : 10;
    // (In the base unit, so that 1000 ns is a tick.)
    const double scale = quantity.scale;
    const int first = static_cast<int>(std::ceil(std::log(low * scale) / std::log(base) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log(high * scale) / std::log(base) + 1e-9));
    const auto add = [&](double value) {
        const double at = value / scale;
        if (at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9)) ticks.push_back({at, shown(at, quantity, binary)});
    };
    if (!binary && last - first < 3) {
        for (int power = first - 1; power <= last; ++power)
            for (const double digit : {1.0, 2.0, 5.0}) add(digit * std::pow(10.0, power));
        if (ticks.size() >= 3 && ticks.size() <= most) return ticks;
        ticks.clear();
    }
    if (last < first + 1) return {};
    const auto powers = static_cast<std::size_t>(last - first + 1);
    const int step = static_cast<int>((powers + most - 1) / most);
    for (int power = first; power <= last; power += step) add(std::pow(base, power));
    return ticks;
}

std::vector<Tick> Axis::linear_ticks(std::size_t most) const {
    // Steps of 1, 2 or 5 in the base unit.
    const double scale = quantity.scale, span = (high - low) * scale;
    double step = std::pow(10, std::floor(std::log10(span / static_cast<double>(most))));
    for (const double factor : {2.0, 2.5, 2.0, 2.0})
        if (span / step > static_cast<double>(most)) step *= factor;
    std::vector<Tick> ticks;
    const double first = std::ceil(low * scale / step - 1e-9);
    for (std::size_t i = 0; i <= most + 1; ++i) {
        const double value = (first + static_cast<double>(i)) * step;
        if (value > high * scale + 1e-9 * step) break;
        // (The largest doubles are further apart than steps may be.)
        if (const std::string words = shown_apart(value / scale, step / scale, quantity);
            ticks.empty() || words != ticks.back().text)
            ticks.push_back({value / scale, words});
    }
    return ticks;
}

std::vector<Tick> Axis::ticks(std::size_t most, std::size_t letters) const {
    if (!names.empty()) return names;
    for (most = std::max<std::size_t>(most, 2);; --most) {
        std::vector<Tick> ticks = log ? log_ticks(most) : linear_ticks(most);
        // (A single tick shows no scale.)
        for (std::size_t more = 0; ticks.size() < 2 && more < 3; ++more) ticks = linear_ticks(most + more);
        std::size_t all = 0;
        for (const Tick& tick : ticks) all += tick.text.size() + 2;
        if (all <= letters || most == 2) return ticks;
    }
}

}  // namespace plot
