// SPDX-License-Identifier: MIT
// Rows of boxes in characters: a line each, boxes to an eighth of a character.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "tools/plot/terminal.hpp"
#include "tools/plot/words.hpp"

namespace plot {
namespace {

constexpr const char* eighths_across[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

// A bar from the left end of the axis.
std::string bar_of(double length, bool ascii) {
    std::string bar;
    const auto parts = static_cast<std::size_t>(std::lround(std::max(length, 0.0) * 8));
    for (std::size_t i = 0; i < parts / 8; ++i) bar += ascii ? "#" : "█";
    if (ascii) return parts > 0 && bar.empty() ? "#" : bar;
    if (parts == 0 && length > 0) return eighths_across[1];
    return bar + eighths_across[parts % 8];
}

}  // namespace

std::string drawn_rows(const Figure& figure, std::size_t width, const Screen& screen) {
    const bool ascii = screen.made_of == Characters::ascii;
    std::size_t name_width = 1, label_width = 0;
    for (std::size_t row = 0; row < figure.rows.size(); ++row)
        if (figure.headings.count(row) == 0) name_width = std::max(name_width, width_of(clean(figure.rows[row])));
    name_width = std::min(name_width, width / 3);
    for (const Box& box : figure.boxes) label_width = std::max(label_width, width_of(clean(box.label)) + 1);
    label_width = std::min(label_width, std::max<std::size_t>(width / 2, 5) - 4);
    const std::size_t taken = name_width + 2 + label_width;
    const std::size_t room = width > taken ? width - taken : 1;
    const double cells = static_cast<double>(room);
    // Bars that all begin at the left end can end within a character.
    const bool at_left =
        figure.kind == "bars" && std::all_of(figure.boxes.begin(), figure.boxes.end(),
                                             [&](const Box& box) { return figure.x.position(box.begin) <= 1e-9; });
    std::string picture;
    for (std::size_t row = 0; row < figure.rows.size(); ++row) {
        if (figure.headings.count(row) > 0) {
            picture += fitting(figure.rows[row], width) + '\n';
            continue;
        }
        std::string bar, label;
        Canvas line(room, 1, {Characters::ascii, screen.colors});
        for (const Box& box : figure.boxes) {
            if (box.row != row) continue;
            label = fitting(box.label, label_width > 1 ? label_width - 1 : 1);
            const int color = static_cast<int>(box.color);
            if (at_left) {
                bar = colored(bar_of(figure.x.position(box.end) * cells, ascii), color, screen);
                const auto used =
                    static_cast<std::size_t>(std::ceil(std::max(0.0, figure.x.position(box.end)) * cells));
                label = ' ' + label;
                if (used > room) label.clear();
                continue;
            }
            const double from = figure.x.position(std::min(box.begin, box.end)) * cells;
            const double to = figure.x.position(std::max(box.begin, box.end)) * cells;
            const auto first = static_cast<std::size_t>(std::clamp(from, 0.0, cells - 1));
            const auto last = std::max(first + 1, static_cast<std::size_t>(std::lround(std::clamp(to, 0.0, cells))));
            // Without colors, letters tell several sorts of boxes apart.
            const bool named = !screen.colors && figure.colors.size() > 1;
            for (std::size_t i = first; i < last; ++i)
                line.put(i, 0, named ? std::string(1, letter_of(box.category)) : ascii ? "#" : "█", color);
        }
        if (!at_left) bar = line.row(0), label = label.empty() ? "" : "  " + label;
        picture += padded(fitting(figure.rows[row], name_width), name_width);
        picture += std::string(" ") + (ascii ? "|" : "│") + bar + label + '\n';
    }
    const std::string left(name_width + 1, ' ');
    std::string edge = ascii ? "+" : "└";
    for (std::size_t i = 0; i < room; ++i) edge += ascii ? "-" : "─";
    picture += left + edge + '\n' + left + ' ' + tick_line(figure.x, room) + '\n';
    const std::size_t before = width_of(figure.x.label) < room ? (room - width_of(figure.x.label)) / 2 : 0;
    return picture + left + ' ' + std::string(before, ' ') + fitting(figure.x.label, room) + '\n';
}

}  // namespace plot
