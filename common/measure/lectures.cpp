// SPDX-License-Identifier: MIT
#include "common/measure/lectures.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "common/io/text.hpp"

Fixed PublishedFigure::fixed() const {
    const char* const point = std::strchr(value, '.');
    return {std::strtod(value, nullptr), point ? static_cast<int>(std::strlen(point + 1)) : 0};
}

// A name's letters, in lower case, and digits.
static std::string essence(std::string_view name) {
    std::string essence;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)))
            essence += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return essence;
}

// Whether a row has this name, or this among several.
static bool has_name(const LectureRow& row, std::string_view name) {
    if (essence(name).empty()) return false;
    if (essence(row.name) == essence(name)) return true;
    static constexpr std::string_view joint = " or ";
    for (std::string_view rest = row.name;;) {
        const std::size_t end = rest.find(joint);
        if (essence(rest.substr(0, end)) == essence(name)) return true;
        if (end == rest.npos) return false;
        rest.remove_prefix(end + joint.size());
    }
}

std::vector<std::string> ladders_of(const Lectures& lectures) {
    std::vector<std::string> ladders;
    for (const LectureRow& row : lectures) add_once(ladders, row.ladder);
    return ladders;
}

std::vector<std::string> steps_of(const Lectures& lectures, std::string_view ladder) {
    std::vector<std::string> steps;
    for (const LectureRow& row : lectures)
        if (row.ladder == ladder) add_once(steps, row.variant);
    return steps;
}

std::vector<std::string> variants_called(const Lectures& lectures, std::string_view name) {
    std::vector<std::string> variants;
    for (const LectureRow& row : lectures)
        if (has_name(row, name)) add_once(variants, row.variant);
    return variants;
}

std::vector<std::pair<std::string, std::string>> options_for(const Lectures& lectures,
                                                             const std::vector<std::string>& words) {
    std::vector<std::pair<std::string, std::string>> options;
    for (const LectureRow& row : lectures) {
        const auto means_it = [&](const std::string& word) {
            return word == "@" + std::string(row.ladder) || has_name(row, word);
        };
        if (!*row.option || std::none_of(words.begin(), words.end(), means_it)) continue;
        const std::string text = row.option, name = text.substr(0, text.find('=')),
                          value = text.substr(name.size() + 1);
        const auto is_it = [&](const auto& option) { return option.first == name; };
        const auto known = std::find_if(options.begin(), options.end(), is_it);
        if (known == options.end()) {
            options.emplace_back(name, value);
            continue;
        }
        std::vector<std::string> values = split(known->second, ',');
        add_once(values, value);
        known->second.clear();
        for (const std::string& one : values) known->second += (known->second.empty() ? "" : ",") + one;
    }
    return options;
}

std::string lecture_names_of(const Lectures& lectures, std::string_view variant) {
    std::vector<std::string> names;
    for (const LectureRow& row : lectures)
        if (row.variant == variant) add_once(names, std::string(row.ladder) + ": " + row.name);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
    return text;
}

std::vector<std::string> published_sources(const Lectures& lectures) {
    std::vector<std::string> sources;
    for (const LectureRow& row : lectures)
        if (!row.figures.empty()) add_once(sources, row.ladder);
    for (const LectureRow& row : lectures)
        if (!row.figures.empty() && *row.gpu) add_once(sources, row.gpu);
    return sources;
}

bool is_of_source(const LectureRow& row, std::string_view source) {
    const std::string name = essence(source);
    if (source.empty() || name == essence(row.ladder)) return true;
    return !name.empty() && essence(row.gpu).find(name) != std::string::npos;
}

std::vector<std::string> published_metrics(const Lectures& lectures) {
    std::vector<std::string> metrics;
    for (const LectureRow& row : lectures)
        for (const PublishedFigure& figure : row.figures) add_once(metrics, figure.metric);
    return metrics;
}

// Whether our row has the cells that the published one is about.
static bool has_cells(const PublishedQuery& query, const char* where) {
    for (const std::string& condition : split(where, ' ')) {
        const std::size_t equals = condition.find('=');
        const std::vector<std::string> values = split(condition.substr(equals + 1), '|');
        const std::optional<std::string> cell = query.cell(condition.substr(0, equals));
        if (!cell || std::find(values.begin(), values.end(), *cell) == values.end()) return false;
    }
    return true;
}

// Whether this names a GPU, which says nothing about the host beside it.
static bool names_gpu(const Lectures& lectures, std::string_view source) {
    const std::string name = essence(source);
    return std::none_of(lectures.begin(), lectures.end(),
                        [&](const LectureRow& row) { return name == essence(row.ladder); });
}

std::vector<const LectureRow*> published_rows(const Lectures& lectures, const PublishedQuery& query) {
    std::vector<const LectureRow*> rows;
    for (const LectureRow& row : lectures) {
        if (row.variant != query.variant || row.figures.empty() || !has_cells(query, row.where)) continue;
        if (!is_of_source(row, query.source) && !(query.on_host && names_gpu(lectures, query.source))) continue;
        const LectureRow& first = rows.empty() ? row : *rows.front();
        if (first.ladder == std::string_view(row.ladder) && first.gpu == std::string_view(row.gpu))
            rows.push_back(&row);
    }
    return rows;
}

const PublishedFigure* published_figure(const std::vector<const LectureRow*>& rows, std::string_view metric) {
    for (const LectureRow* row : rows)
        for (const PublishedFigure& figure : row->figures)
            if (figure.metric == metric) return &figure;
    return nullptr;
}
