// SPDX-License-Identifier: MIT
#include "tools/plot/choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>

#include "common/io/text.hpp"
#include "tools/plot/axis.hpp"

namespace plot {
namespace {

// A table of one of our programs.
bool is_ours(const Data& data) { return data.has("tool") && data.has("kernel") && data.has("median_ns"); }

bool contains(const auto& words, const auto& word) { return std::count(words.begin(), words.end(), word) > 0; }

// Columns that say how the rows came about, rather than what was measured or with which settings.
bool is_circumstance(const std::string& column) {
    static const std::set<std::string> names = {"schema",    "device_uuid", "warmup", "samples", "sm_clock_mhz",
                                                "throttled", "verify",      "sample", "timer",   "smem_bytes",
                                                "grid",      "bytes",       "flop"};
    return names.count(column) > 0;
}

// Whether a column may be a setting: words, or whole numbers without a unit or in bytes. All others are measured.
bool may_be_setting(const Data& data, const std::string& name) {
    const Field field = data.field(name);
    const std::string unit = quantity_of(name).unit;
    if (!unit.empty() && unit != "B") return false;
    if (name.find("_per_") != name.npos || name.find("efficiency") != name.npos) return false;
    if (!field.is_numeric()) return true;
    return std::all_of(data.rows().begin(), data.rows().end(), [&](RowOf row) {
        const double number = field.number(row);
        return std::isnan(number) || number == std::trunc(number);
    });
}

bool says(const Data& data, const std::string& column, const std::string& word) {
    const Field field = data.field(column);
    return std::any_of(data.rows().begin(), data.rows().end(), [&](RowOf row) { return field.word(row) == word; });
}

// Whether some rows come from a model rather than from a clock.
bool has_predictions(const Data& data) { return data.shows_predictions() || says(data, "timer", "model"); }

// The columns among which x and series are looked for, the likeliest first.
std::vector<std::string> setting_columns(const Data& data) {
    std::vector<std::string> columns;
    if (!is_ours(data)) {
        for (const std::string& name : data.names())
            if (name != "file") columns.push_back(name);
        return columns;
    }
    for (const char* name : {"kernel", "n", "gang", "dtype", "tool", "device", "cache", "block"})
        if (data.has(name)) columns.push_back(name);
    if (has_predictions(data)) columns.push_back("timer");
    for (const std::string& name : data.names())
        if (is_own_setting(name) && may_be_setting(data, name)) columns.push_back(name);
    return columns;
}

// The largest number in the column, or 0.
double largest(const Data& data, const std::string& column) {
    const Field field = data.field(column);
    double most = 0;
    for (const RowOf row : data.rows()) most = std::max(most, std::isnan(field.number(row)) ? 0 : field.number(row));
    return most;
}

// Times of kernels on a GPU are shown as rates. Those of a simulation say nothing about a GPU: it is shown by its
// counts if there are any, else by the times that are predicted for a GPU, else by its own.
std::string measure_of(const Data& data) {
    if (says(data, "timer", "sim")) {
        for (const char* name : {"gld_sectors_per_request", "sld_wavefronts_per_request", "tex_sectors_per_request"})
            if (data.has(name) && data.varies(data.field(name))) return name;
        return data.has("p_predicted_ns") && largest(data, "p_predicted_ns") > 0 ? "p_predicted_ns" : "median_ns";
    }
    const double bytes = largest(data, "gbyte_per_s"), operations = largest(data, "gflop_per_s");
    if (bytes == 0 && operations == 0) return "median_ns";
    return operations > 4 * bytes ? "gflop_per_s" : "gbyte_per_s";
}

bool varies_within(const Data& data, const std::string& x, const std::vector<std::string>& by) {
    const Field field = data.field(x);
    for (const Group& group : groups_of(data, data.needed(by), SIZE_MAX)) {
        double first = std::nan("");
        for (const RowOf row : group.rows) {
            const double number = field.number(row);
            if (std::isnan(first)) first = number;
            if (!std::isnan(number) && number != first) return true;
        }
    }
    return false;
}

// Whether one problem was given to gangs of several sizes. (With --weak, each gang's problem has a size of its own.)
bool goes_along_gangs(const Data& data, std::vector<std::string> by) {
    if (!data.has("gang") || !data.has("n") || !varies_within(data, "gang", by)) return false;
    by.push_back("gang");
    return !varies_within(data, "n", by);
}

// The column of numbers that vary for one kernel: sizes, or else the one with the most different numbers.
std::string sweep_of(const Data& data, const std::vector<std::string>& by) {
    if (goes_along_gangs(data, by)) return "gang";
    std::string best;
    std::size_t most = 1;
    for (const std::string& name : setting_columns(data)) {
        const Field field = data.field(name);
        if (!field.is_numeric() || contains(by, name)) continue;
        const std::size_t count = data.distinct(field, 1000);
        if (count <= most || !varies_within(data, name, by)) continue;
        best = name, most = name == "n" ? SIZE_MAX : count;
    }
    return best;
}

// Adds columns until no two rows of a series have the same x, and leaves out those that are redundant.
std::vector<std::string> series_of(const Data& data, const std::string& x, const std::string& y) {
    std::vector<std::string> by;
    if (data.is_of_files()) by.push_back("file");
    const auto is_enough = [&](const std::vector<std::string>& names) {
        std::vector<Field> fields = data.needed(names);
        if (data.has(x)) fields.push_back(data.field(x));
        return data.tell_apart(fields);
    };
    const bool ours = is_ours(data);
    for (const std::string& name : setting_columns(data)) {
        const Field field = data.field(name);
        const bool is_predicted = name == "timer" && has_predictions(data);
        if (name == x || name == y || (ours && is_circumstance(name) && !is_predicted) || !data.varies(field)) continue;
        // Words that are different in every row make no series, and numbers are what is measured.
        if (!ours && (field.is_numeric() || data.distinct(field, most_series + 1) > most_series)) continue;
        if (name != "kernel" && !is_predicted && (by.size() >= 6 || is_enough(by))) continue;
        by.push_back(name);
    }
    // Columns that the others make redundant, such as the device of a kernel, are left out again.
    const std::vector<std::string> kept = {"file", "tool", "kernel", "timer"};
    for (std::size_t i = by.size(); i-- > 0;) {
        std::vector<std::string> fewer = by;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (!contains(kept, by[i]) && is_enough(fewer)) by = fewer;
    }
    return by;
}

// For a table that is not ours: the column of words that names the rows, if no two have the same word.
std::string names_of_rows(const Data& data) {
    if (data.rows().size() > most_bars) return "";
    for (const std::string& name : data.names()) {
        const Field field = data.field(name);
        if (name != "file" && !field.is_numeric() && data.distinct(field, data.rows().size()) == data.rows().size())
            return name;
    }
    return "";
}

std::vector<std::string> numbers_of(const Data& data) {
    std::vector<std::string> names;
    for (const std::string& name : data.names())
        if (data.field(name).is_numeric()) names.push_back(name);
    return names;
}

void choose_columns(const Data& data, Choices& chosen, const Settings& settings) {
    const bool ours = is_ours(data);
    if (chosen.y.empty() && ours) chosen.y = measure_of(data);
    const std::vector<std::string> numbers = numbers_of(data);
    if (chosen.y.empty()) {
        const bool second = chosen.x.empty() ? numbers.size() > 1 : numbers.size() > 1 && numbers[0] == chosen.x;
        if (!numbers.empty()) chosen.y = numbers[second ? 1 : 0];
    }
    const bool wants_sweep = chosen.kind == Kind::automatic || chosen.kind == Kind::lines;
    if (chosen.x.empty() && wants_sweep && ours) {
        std::vector<std::string> kernels = {"tool", "kernel"};
        if (data.is_of_files()) kernels.push_back("file");
        chosen.x = sweep_of(data, kernels);
    } else if (chosen.x.empty() && wants_sweep && (chosen.kind == Kind::lines || names_of_rows(data).empty())) {
        for (const std::string& name : numbers)
            if (name != chosen.y && chosen.x.empty() && data.varies(data.field(name))) chosen.x = name;
    }
    if (settings.y.empty() && chosen.x == "gang" && data.has("efficiency")) chosen.y = "efficiency";
    if (!settings.by.empty()) chosen.by = settings.by;
}

Kind kind_of(const Data& data, const Choices& chosen, const Settings& settings) {
    if (settings.x.empty() && settings.y.empty() && data.has("begin_ns") && data.has("end_ns") && data.has("lane"))
        return Kind::timeline;
    if (settings.x.empty() && data.has("sample") && data.varies(data.field("sample"))) return Kind::histogram;
    if (settings.x.empty() && settings.y.empty() && says(data, "tool", "matmul") && largest(data, "p_peak_percent") > 0)
        return Kind::roofline;
    if (!chosen.x.empty()) return data.field(chosen.x).is_numeric() ? Kind::lines : Kind::bars;
    const bool alone = !is_ours(data) && names_of_rows(data).empty() && chosen.by.empty();
    return alone ? Kind::histogram : Kind::bars;
}

std::size_t count_series(const Data& data, const std::vector<std::string>& by) {
    return groups_of(data, data.needed(by), SIZE_MAX).size();
}

// ---- which axes are logarithmic, where the options leave it open

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

}  // namespace

bool is_better_when_larger(const std::string& column) {
    const std::string unit = quantity_of(column).unit;
    if (unit == "s") return false;
    if (unit.ends_with("/s")) return true;
    const auto says = [words = '_' + column + '_'](const char* cost) { return words.find(cost) != words.npos; };
    constexpr const char* costs[] = {"cycles", "conflicts", "sectors", "wavefronts", "requests", "divergent", "misses",
                                     "error",  "slowdown",  "passes",  "_ways_",     "_off_",    "differing"};
    return std::none_of(std::begin(costs), std::end(costs), says);
}

// Predictions stand for simulated rows beside those of a GPU, whose times those of a simulation cannot be held against,
// and in a roofline, which is a GPU's.
bool wants_predictions(const Data& data, const Settings& settings) {
    if (!data.has_predictions()) return false;
    if (settings.kind == Kind::roofline) return true;
    if (is_of_samples(settings.kind) || settings.kind == Kind::timeline || !data.has_times_of_gpu()) return false;
    const std::string& y = settings.y;
    return (y.empty() || y == "median_ns" || y == "gbyte_per_s" || y == "gflop_per_s") &&
           !(data.has("sample") && data.varies(data.field("sample")));
}

void tell_origins(const Data& data, std::vector<std::string>& by) {
    if (data.shows_predictions() && data.varies(data.field("timer")) && !contains(by, std::string("timer")))
        by.push_back("timer");
}

Choices choose(const Data& data, const Settings& settings) {
    if (data.rows().empty())
        fail(Exit::bad_input, "{}there are no rows to draw{}",
             data.tables().size() == 1 ? data.tables()[0].name + ": " : "",
             settings.where.empty() ? "" : ": --where leaves none");
    Choices chosen{settings.kind, settings.x, settings.y, settings.by};
    for (const std::string& name : {settings.x, settings.y})
        if (!name.empty()) data.needed(name);
    for (const std::string& name : settings.by) data.needed(name);
    const bool with_axes = chosen.kind == Kind::automatic || chosen.kind == Kind::lines || chosen.kind == Kind::bars ||
                           is_of_samples(chosen.kind);
    if (with_axes) choose_columns(data, chosen, settings);
    if (chosen.kind == Kind::automatic) chosen.kind = kind_of(data, chosen, settings);
    if (is_of_samples(chosen.kind) && settings.y.empty()) {
        if (is_ours(data)) chosen.y = "median_ns";
        else if (data.has("samples_ns") && !data.has("median_ns")) chosen.y = "samples_ns";
    }
    if (chosen.kind == Kind::bars && !chosen.x.empty() && chosen.by.empty()) chosen.by = {chosen.x};
    if (chosen.kind != Kind::lines) chosen.x.clear();
    else if (chosen.x.empty())
        fail(Exit::bad_input, "no number differs that lines could go along: name a column with -x");
    if (chosen.kind == Kind::timeline || chosen.kind == Kind::roofline) return chosen;
    if (chosen.y.empty()) fail(Exit::bad_input, "no column has numbers alone: name one with -y");
    if (chosen.by.empty()) {
        const std::string name = chosen.kind == Kind::bars && !is_ours(data) ? names_of_rows(data) : "";
        if (!name.empty()) chosen.by = {name};
        else if (is_of_samples(chosen.kind) && is_ours(data)) chosen.by = series_of(data, "sample", chosen.y);
        else chosen.by = series_of(data, chosen.x, chosen.y);
    }
    tell_origins(data, chosen.by);
    // More than two outlines over each other cannot be read.
    if (settings.kind == Kind::automatic && chosen.kind == Kind::histogram && count_series(data, chosen.by) > 2)
        chosen.kind = Kind::violin;
    choose_log_axes(data, settings, chosen);
    return chosen;
}

}  // namespace plot
