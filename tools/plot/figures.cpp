// SPDX-License-Identifier: MIT
#include "tools/plot/figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/io/parse_text.hpp"
#include "common/io/text.hpp"
#include "common/measure/statistics.hpp"

namespace plot {
namespace {

// The one word that all rows have in the column, or "".
std::string only_word(const Data& data, const std::string& column) {
    const Field field = data.field(column);
    if (!field.exists() || data.rows().empty() || data.varies(field)) return "";
    for (const RowOf row : data.rows())
        if (const std::string word = field.word(row); !word.empty()) return word;
    return "";
}

// The same among the rows that have a word; predictions are of kernels, and none of the host.
std::string only_word_if_any(const Data& data, const std::string& column) {
    const Field field = data.field(column);
    std::string only;
    if (!field.exists()) return only;
    for (const RowOf row : data.rows()) {
        const std::string word = field.word(row);
        if (word.empty() || word == "none" || word == only) continue;
        if (!only.empty()) return "";
        only = word;
    }
    return only;
}

// The device that the rows are from. Rows of the host are there for comparison.
std::string device_of(const Data& data) {
    const Field field = data.field("device");
    std::string device;
    if (!field.exists()) return "";
    for (const RowOf row : data.rows()) {
        const std::string word = field.word(row);
        if (word == "host" || word == device) continue;
        if (!device.empty()) return "";
        device = word;
    }
    return device;
}

// "256Mi" for a multiple of 1024, and other words as they are.
std::string size_text(const std::string& words) {
    const std::optional<double> number = parse_number(words);
    return number && std::fmod(*number, 1024) == 0 ? shown(*number, {}, true) : words;
}

bool says_measured(const Data& data) {
    return std::any_of(data.rows().begin(), data.rows().end(), [&](RowOf row) { return !data.is_predicted(row); });
}

constexpr const char* predicted_columns = "p_predicted_";
bool is_predicted_column(const std::string& column) { return column.starts_with(predicted_columns); }

// Says once what is the same in all rows.
std::string subtitle_of(const Data& data, const Choices& chosen) {
    std::vector<std::string> parts;
    const bool is_predicted = is_predicted_column(chosen.y) || (data.shows_predictions() && !says_measured(data));
    if (is_predicted) parts.push_back("predicted for " + only_word_if_any(data, "p_predicted_gpu") + ", not measured");
    else if (const std::string device = device_of(data);
             !device.empty() && !data.shows_predictions())  // (whose series and colors name it)
        parts.push_back(device == "SIMT simulator" &&
                                (chosen.y.find("_ns") != chosen.y.npos || chosen.y == "efficiency")
                            ? "SIMT simulator: times of the simulation, not a GPU's"
                            : device);
    const auto is_used = [&](const std::string& name) {
        return chosen.x == name || std::find(chosen.by.begin(), chosen.by.end(), name) != chosen.by.end();
    };
    if (const std::string kernel = only_word(data, "kernel"); !kernel.empty() && !is_used("kernel"))
        parts.push_back(kernel);
    const std::string n = is_predicted ? only_word_if_any(data, "p_predicted_n") : only_word(data, "n"),
                      type = only_word(data, "dtype"), cache = only_word(data, "cache");
    if (!n.empty() && n != "0" && !is_used("n")) parts.push_back("n = " + size_text(n));
    if (!type.empty() && type != "none" && !is_used("dtype")) parts.push_back(type);
    if (cache == "cold" || cache == "warm") parts.push_back(cache + " cache");
    std::string all;
    for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
    return all;
}

std::string title_of(const Data& data, const Choices& chosen, const Figure& figure) {
    std::string tool = only_word(data, "tool");
    if (tool.empty() && !data.tables().empty() && !data.is_of_files()) tool = data.tables().front().name;
    if (tool == "standard input") tool.clear();
    const std::string measure = chosen.y.empty()                                      ? ""
                                : figure.has_rows() || chosen.kind == Kind::histogram ? figure.x.label
                                                                                      : figure.y.label;
    if (tool.empty() || measure.empty()) return tool + measure;
    return tool + ": " + measure;
}

}  // namespace

std::string hover_of(const Data& data, RowOf row) {
    std::string text;
    for (const TableColumn& column : data.sources()[row.table].columns) {
        const std::string word = column.word(row.row);
        const bool says_something = !word.empty() && word != "none" && word != "0";
        if (!says_something || column.name() == "schema" || column.name() == "device_uuid") continue;
        text += (text.empty() ? "" : "\n") + column.name() + ": " + printable(word, 80);
    }
    return text;
}

void fail_without_numbers(const std::string& column, bool log) {
    fail(Exit::bad_input, "no row has a number{} in '{}' {}; choose a column with -y", log ? " above 0" : "",
         printable(column, 100), range_of_places);
}

std::string note_of(const Data& data, const std::vector<std::string>& columns, RowOf row) {
    std::string note;
    for (const std::string& column : columns) {
        const Field field = data.needed(column);
        const double number = field.number(row);
        const Quantity quantity = quantity_of(column);
        const std::string word =
            std::isnan(number) || quantity.unit.empty() ? field.word(row) : shown(number, quantity);
        if (!word.empty()) note += (note.empty() ? "" : ", ") + word;
    }
    return note;
}

Quartiles quartiles_of(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return {quantile(numbers, 0.25), quantile(numbers, 0.5), quantile(numbers, 0.75)};
}

Band::Band(const Data& data, const std::string& y)
    : y_(data.field(y)),
      p25_(data.field(is_predicted_column(y) ? "p_predicted_low_ns" : "p25_ns")),
      median_(data.field(is_predicted_column(y) ? "p_predicted_ns" : "median_ns")),
      p75_(data.field(is_predicted_column(y) ? "p_predicted_high_ns" : "p75_ns")) {
    if (!p25_.exists() || !median_.exists() || !p75_.exists()) return;
    const std::string measure = is_predicted_column(y) ? y.substr(std::strlen(predicted_columns)) : y;
    if (y == "median_ns" || measure == "ns") kind_ = Of::time;
    else if (measure == "gbyte_per_s" || measure == "gflop_per_s") kind_ = Of::rate;
}

// The quartiles of a rate are the same work over the quartiles of the time.
Quartiles Band::of(RowOf row) const {
    const double y = y_.number(row), low = p25_.number(row), high = p75_.number(row), median = median_.number(row);
    if (kind_ == Of::time) return {low, y, high};
    if (kind_ == Of::rate && low > 0 && high > 0) return {y * median / high, y, y * median / low};
    return {nothing, y, nothing};
}

bool is_prediction(const Data& data, const std::string& y, RowOf row) {
    return is_predicted_column(y) || data.is_predicted(row);
}

void set_colors(std::vector<Series>& series, const std::vector<Group>& groups, const Data& data,
                const std::vector<Field>& by) {
    const auto timer = std::find_if(by.begin(), by.end(), [](const Field& field) { return field.name() == "timer"; });
    const bool of_files = is_by_file(data, by), of_origins = timer != by.end() && data.shows_predictions();
    std::map<std::vector<std::string>, std::size_t> of_words;
    std::map<std::string, std::size_t> of_file;
    for (std::size_t i = 0; i < series.size(); ++i) {
        std::vector<std::string> words = groups[i].words;
        std::size_t dash = 0;
        if (of_origins) words.erase(words.begin() + (timer - by.begin()));
        if (of_files) {
            dash = of_file.try_emplace(words.front(), of_file.size()).first->second;
            words.erase(words.begin());
        }
        const std::size_t color = of_words.try_emplace(words, of_words.size()).first->second;
        series[i].color = color % color_count;
        series[i].dash = (dash + color / color_count) % dash_count;
    }
}

Figure figure_of(const Data& data, const Choices& chosen, const Settings& settings) {
    Figure figure = [&] {
        switch (chosen.kind) {
            case Kind::bars: return bars_of(data, chosen, settings);
            case Kind::histogram: return histogram_of(data, chosen);
            case Kind::violin: return violin_of(data, chosen);
            case Kind::timeline: return timeline_of(data, settings);
            case Kind::roofline: return roofline_of(data, chosen, settings);
            default: return lines_of(data, chosen, settings);
        }
    }();
    if (figure.subtitle.empty()) figure.subtitle = subtitle_of(data, chosen);
    if (figure.title.empty()) figure.title = title_of(data, chosen, figure);
    if (!settings.title.empty()) figure.title = settings.title;
    return figure;
}

}  // namespace plot
