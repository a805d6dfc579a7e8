// SPDX-License-Identifier: MIT
#include "tools/plot/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "common/io/terminal.hpp"
#include "common/io/text.hpp"
#include "tools/plot/figure.hpp"

namespace plot {

std::string colored(const std::string& text, int color, const Screen& screen) {
    if (!screen.colors || color == no_color || text.find_first_not_of(' ') == text.npos) return text;
    const int number = color == gray ? 244 : palette[static_cast<std::size_t>(color) % color_count].terminal;
    return "\033[38;5;" + std::to_string(number) + "m" + text + "\033[0m";
}

Canvas::Canvas(std::size_t width, std::size_t height, const Screen& screen)
    : width_(width),
      height_(height),
      dots_x_(screen.made_of == Characters::ascii ? 1 : 2),
      dots_y_(screen.made_of == Characters::ascii    ? 1
              : screen.made_of == Characters::blocks ? 2
                                                     : 4),
      screen_(screen),
      cells_(width * height) {}

std::size_t Canvas::column_of(double x) const {
    return static_cast<std::size_t>(std::clamp(x, 0.0, static_cast<double>(dots_across() - 1))) / dots_x_;
}

std::size_t Canvas::row_of(double y) const {
    return static_cast<std::size_t>(std::clamp(y, 0.0, static_cast<double>(dots_down() - 1))) / dots_y_;
}

void Canvas::dot(double x, double y, int color) {
    if (!(x >= 0) || !(y >= 0) || x >= static_cast<double>(dots_across()) || y >= static_cast<double>(dots_down()))
        return;
    const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
    Cell& cell = cells_[(row / dots_y_) * width_ + column / dots_x_];
    cell.dots |= 1u << ((row % dots_y_) * dots_x_ + column % dots_x_);
    cell.color = color;
}

void Canvas::line(double x1, double y1, double x2, double y2, int color, int gap) {
    const double steps = std::max({std::abs(x2 - x1), std::abs(y2 - y1), 1.0});
    for (double i = 0; i <= steps; ++i) {
        if (gap > 0 && static_cast<int>(i) / gap % 2 == 1) continue;
        dot(x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps, color);
    }
}

void Canvas::put(std::size_t column, std::size_t row, const std::string& character, int color) {
    if (column >= width_ || row >= height_) return;
    Cell* const cell = &cells_[row * width_ + column];
    const bool is_wide = terminal_columns(character) > 1, has_next = column + 1 < width_;
    if (is_wide && !has_next) return;
    // What it takes half of becomes a blank.
    if (cell->is_covered) cell[-1].character = " ";
    if (has_next && cell[1].is_covered) cell[1].is_covered = false;
    if (is_wide && column + 2 < width_ && cell[2].is_covered) cell[2].is_covered = false;
    cell->character = character;
    cell->is_covered = false;
    cell->color = color;
    if (is_wide) cell[1] = {0, "", true, color};
}

std::string Canvas::shown(const Cell& cell) const {
    if (cell.is_covered) return "";
    if (!cell.character.empty()) return cell.character;
    if (cell.dots == 0) return " ";
    if (screen_.made_of == Characters::ascii) return ".";
    if (screen_.made_of == Characters::blocks) {
        constexpr const char* quadrants[] = {" ", "▘", "▝", "▀", "▖", "▌", "▞", "▛",
                                             "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█"};
        return quadrants[cell.dots];
    }
    // Unicode numbers the dots down the left side, down the right side, and the lowest pair last.
    constexpr unsigned bits[] = {0, 3, 1, 4, 2, 5, 6, 7};
    unsigned code = 0x2800;
    for (unsigned i = 0; i < 8; ++i)
        if (cell.dots & (1u << i)) code |= 1u << bits[i];
    return {static_cast<char>(0xe0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3f)),
            static_cast<char>(0x80 | (code & 0x3f))};
}

std::string Canvas::row(std::size_t row) const {
    std::string line, stretch;
    int color = no_color;
    for (std::size_t column = 0; column < width_; ++column) {
        const Cell& cell = cells_[row * width_ + column];
        if (cell.color != color) {
            line += colored(stretch, color, screen_);
            stretch.clear(), color = cell.color;
        }
        stretch += shown(cell);
    }
    line += colored(stretch, color, screen_);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

}  // namespace plot
