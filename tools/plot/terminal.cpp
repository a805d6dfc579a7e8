#include "tools/plot/terminal.hpp"

#include <algorithm>
#include <cmath>

#include "tools/plot/words.hpp"

namespace plot {

char letter_of(std::size_t index) {
    constexpr char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return letters[index % (sizeof letters - 1)];
}

std::string tick_line(const Axis& axis, std::size_t width) {
    std::string line(width, ' ');
    std::size_t free = 0;
    for (const Tick& tick : axis.ticks(std::max<std::size_t>(2, width / 9))) {
        const double at = axis.position(tick.value) * static_cast<double>(width - 1);
        const std::size_t length = tick.text.size();
        if (at < 0 || length > width) continue;
        const auto middle = static_cast<std::size_t>(at + 0.5);
        const std::size_t begin = std::min(middle > length / 2 ? middle - length / 2 : 0, width - length);
        if (begin < free) continue;
        line.replace(begin, length, tick.text);
        free = begin + length + 1;
    }
    line.erase(line.find_last_not_of(' ') + 1);
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
            entries.push_back({screen.colors ? (ascii ? "-" : "━") : std::string(1, letter_of(i)), series.name,
                               static_cast<int>(series.color)});
    }
    // (Of bars the names say it.)
    if (figure.colors.size() > 1 && figure.kind != "bars")
        for (std::size_t i = 0; i < figure.colors.size(); ++i)
            entries.push_back({screen.colors ? (ascii ? "#" : "█") : std::string(1, letter_of(i)), figure.colors[i],
                               static_cast<int>(i % color_count)});
    return entries;
}

// As many to a line as fit.
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

}  // namespace

std::string drawn(const Figure& figure, const Size& size, const Screen& screen) {
    std::string head;
    if (!figure.title.empty()) head += fitting(figure.title, size.width) + '\n';
    if (!figure.subtitle.empty()) head += fitting(figure.subtitle, size.width) + '\n';
    const std::string legend = legend_of(figure, size.width, screen);
    if (figure.has_rows()) return head + drawn_rows(figure, size.width, screen) + legend;
    const auto lines = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n') +
                                                std::count(legend.begin(), legend.end(), '\n'));
    const std::size_t left = size.height > lines + 6 ? size.height - lines : 6;
    return head + drawn_axes(figure, {size.width, left}, screen) + legend;
}

}  // namespace plot
