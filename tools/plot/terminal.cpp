// SPDX-License-Identifier: MIT
#include "tools/plot/terminal.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tools/plot/words.hpp"

namespace plot {

char letter_of(std::size_t index) {
    constexpr char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return letters[index % (sizeof letters - 1)];
}

std::string tick_line(const Axis& axis, std::size_t width) {
    std::string line;
    std::size_t used = 0;
    for (const Tick& tick : axis.ticks(std::max<std::size_t>(2, width / 9), width)) {
        const double at = axis.position(tick.value) * static_cast<double>(width - 1);
        const std::string words = clean(tick.text);
        const std::size_t length = width_of(words);
        if (at < 0 || length > width) continue;
        const auto middle = static_cast<std::size_t>(at + 0.5);
        const std::size_t begin = std::min(middle > length / 2 ? middle - length / 2 : 0, width - length);
        if (used > 0 && begin <= used) continue;
        line += std::string(begin - used, ' ') + words;
        used = begin + length;
    }
    return line;
}

namespace {

struct Entry {
    std::string sign, name;
    int color;
};

std::vector<Entry> entries_of(const Figure& figure, const Screen& screen) {
    std::vector<Entry> entries;
    const bool ascii = screen.made_of == Characters::ascii;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        const Series& series = figure.series[i];
        const bool alone = figure.series.size() == 1;
        if (alone || series.name.empty()) continue;
        if (series.mark == Mark::roof) entries.push_back({ascii ? "--" : "╌╌", series.name, gray});
        else
            entries.push_back(
                {screen.colors && series.mark != Mark::violin ? (ascii ? "-" : "━") : std::string(1, letter_of(i)),
                 series.name, static_cast<int>(series.color)});
    }
    // (The names of bars already say it.)
    if (figure.colors.size() > 1 && figure.kind != "bars")
        for (std::size_t i = 0; i < figure.colors.size(); ++i)
            entries.push_back({screen.colors ? (ascii ? "#" : "█") : std::string(1, letter_of(i)), figure.colors[i],
                               static_cast<int>(i % color_count)});
    return entries;
}

// As many entries to a line as fit.
std::string legend_of(const Figure& figure, std::size_t width, const Screen& screen) {
    std::string lines;
    std::size_t used = 0;
    for (const Entry& entry : entries_of(figure, screen)) {
        const std::string name = fitting(entry.name, width > 10 ? width - 10 : 1);
        const std::size_t needed = width_of(entry.sign) + 1 + width_of(name) + 3;
        if (used > 0 && used + needed > width) lines += '\n', used = 0;
        lines += std::string(used == 0 ? 2 : 3, ' ') + colored(entry.sign, entry.color, screen) + ' ' + name;
        used += needed;
    }
    return lines.empty() ? "" : lines + '\n';
}

// Names of violins that do not fit below them are replaced by letters, which the legend explains.
Figure with_letters(const Figure& figure, std::size_t width) {
    Figure lettered = figure;
    std::size_t longest = 0;
    for (const Tick& name : figure.x.names) longest = std::max(longest, width_of(clean(name.text)));
    constexpr std::size_t left_of_axis = 14;
    if (width < left_of_axis || longest + 1 > (width - left_of_axis) / std::max<std::size_t>(figure.x.names.size(), 1))
        for (std::size_t i = 0; i < figure.x.names.size(); ++i) lettered.x.names[i].text = std::string(1, letter_of(i));
    else
        for (Series& series : lettered.series) series.name.clear();
    return lettered;
}

}  // namespace

std::string drawn(const Figure& whole, const Size& size, const Screen& screen) {
    const Figure figure = whole.x.names.empty() ? whole : with_letters(whole, size.width);
    std::string head;
    // (An axis already says this, a line below or at its end.)
    const bool is_label = figure.title == (figure.has_rows() ? figure.x.label : figure.y.label);
    if (!figure.title.empty() && !is_label) head += fitting(figure.title, size.width) + '\n';
    if (!figure.subtitle.empty()) head += fitting(figure.subtitle, size.width) + '\n';
    const std::string legend = legend_of(figure, size.width, screen);
    if (figure.has_rows()) return head + drawn_rows(figure, size.width, screen) + legend;
    const auto lines = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n') +
                                                std::count(legend.begin(), legend.end(), '\n'));
    const std::size_t left = size.height > lines + 6 ? size.height - lines : 6;
    return head + drawn_axes(figure, {size.width, left}, screen) + legend;
}

}  // namespace plot
