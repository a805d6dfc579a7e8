// SPDX-License-Identifier: MIT
#include "tools/plot/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/terminal.hpp"
#include "tools/plot/words.hpp"

namespace plot {

namespace {

// The letter by which a series is told from others where there are no colors.
char letter_of(std::size_t index) {
    constexpr char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return letters[index % (sizeof letters - 1)];
}

// The values below an axis of so many characters, at their places.
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

// ---- series: lines as dots, histograms as columns of blocks

constexpr const char* eighths_up[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string dot_of(const Series& series, const Screen& screen) {
    if (screen.made_of == Characters::ascii) return series.is_predicted ? "o" : "*";
    return series.is_predicted ? "○" : "●";
}

class AxesDrawing {
public:
    AxesDrawing(const Figure& figure, const Size& size, const Screen& screen)
        : figure_(figure),
          screen_(screen),
          ticks_(figure.y.ticks(std::max<std::size_t>(2, size.height / 4))),
          label_width_(widest(ticks_, size.width / 3)),
          width_(size.width > label_width_ + 12 ? size.width - label_width_ - 2 : 10),
          // The label of y, the line of x, its values and its label take a line each.
          height_(size.height > 7 ? size.height - 4 : 3),
          canvas_(width_, height_, screen) {}

    std::string draw() {
        const bool filled = figure_.series.size() == 1 && figure_.series[0].mark == Mark::steps;
        if (filled) draw_columns(figure_.series[0]);
        for (std::size_t i = 0; !filled && i < figure_.series.size(); ++i)
            if (figure_.series[i].mark == Mark::violin) draw_violin(i);
            else draw_series(i);
        const bool ascii = screen_.made_of == Characters::ascii;
        std::vector<std::string> labels(height_);
        for (const Tick& tick : ticks_) {
            const double y = y_of(tick.value);
            if (y >= -0.5 && y < static_cast<double>(canvas_.dots_down())) labels[canvas_.row_of(y)] = tick.text;
        }
        std::string picture = fitting(figure_.y.label, label_width_ + width_) + '\n';
        for (std::size_t row = 0; row < height_; ++row) {
            const char* edge = labels[row].empty() ? (ascii ? "|" : "│") : (ascii ? "+" : "┤");
            picture +=
                padded(fitting(labels[row], label_width_), label_width_, true) + ' ' + edge + canvas_.row(row) + '\n';
        }
        std::string edge;
        for (std::size_t i = 0; i < width_; ++i) edge += ascii ? "-" : "─";
        const std::string left(label_width_ + 1, ' ');
        picture += left + (ascii ? "+" : "└") + edge + '\n';
        picture += left + ' ' + tick_line(figure_.x, width_) + '\n';
        const std::string label = fitting(figure_.x.label, width_);
        const std::size_t before = width_of(label) < width_ ? (width_ - width_of(label)) / 2 : 0;
        return picture + left + ' ' + std::string(before, ' ') + label + '\n';
    }

private:
    static std::size_t widest(const std::vector<Tick>& ticks, std::size_t most) {
        std::size_t width = 1;
        for (const Tick& tick : ticks) width = std::max(width, width_of(tick.text));
        return std::min(width, most);
    }
    double x_of(double value) const {
        return figure_.x.position(value) * static_cast<double>(canvas_.dots_across() - 1) + 0.5;
    }
    double y_of(double value) const {
        return (1 - figure_.y.position(value)) * static_cast<double>(canvas_.dots_down() - 1) + 0.5;
    }

    void draw_series(std::size_t index) {
        const Series& series = figure_.series[index];
        const bool roof = series.mark == Mark::roof, steps = series.mark == Mark::steps;
        const int color = roof ? gray : static_cast<int>(series.color);
        const int gap = roof ? 2 : static_cast<int>(series.dash) * 2;
        for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
            const Point &point = series.points[i], &next = series.points[i + 1];
            const double right = x_of(next.x), y = y_of(point.y);
            canvas_.line(x_of(point.x), y, right, steps ? y : y_of(next.y), color, gap);
            if (steps) canvas_.line(right, y, right, y_of(next.y), color, gap);
        }
        if (roof) return;
        const bool marked = !screen_.colors || series.points.size() == 1 || figure_.has_predictions();
        for (const Point& point : series.points) {
            if (figure_.series.size() <= 3 && !std::isnan(point.low) && !std::isnan(point.high))
                canvas_.line(x_of(point.x), y_of(point.low), x_of(point.x), y_of(point.high), color);
        }
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const Point& point = series.points[i];
            const std::size_t column = canvas_.column_of(x_of(point.x)), row = canvas_.row_of(y_of(point.y));
            const bool is_crowd = series.points.size() > width_ || steps;
            if (marked && (!is_crowd || i % (series.points.size() / 4 + 1) == 0)) {
                draw_mark(index, column, row);
            }
            const std::string note = clean(point.note);
            if (column + 2 + width_of(note) > width_) continue;
            std::size_t at = column + 1;
            for (std::size_t i = 0, next; i < note.size(); i = next) {  // a character, with those that combine with it
                const CharacterSize size = size_of_first(std::string_view(note).substr(i));
                for (next = i + size.bytes; next < note.size();) {
                    const CharacterSize other = size_of_first(std::string_view(note).substr(next));
                    if (other.columns > 0) break;
                    next += other.bytes;
                }
                canvas_.put(at, row, note.substr(i, next - i), no_color);
                at += size.columns;
            }
        }
    }

    // A dot, or the letter of the series where there are no colors. What is predicted is an open dot, or in parentheses.
    void draw_mark(std::size_t index, std::size_t column, std::size_t row) {
        const Series& series = figure_.series[index];
        const int color = static_cast<int>(series.color);
        const bool is_dot = figure_.series.size() == 1 || (screen_.colors && figure_.has_predictions());
        canvas_.put(column, row, is_dot ? dot_of(series, screen_) : std::string(1, letter_of(index)), color);
        if (is_dot || !series.is_predicted) return;
        if (column > 0) canvas_.put(column - 1, row, "(", color);
        canvas_.put(column + 1, row, ")", color);
    }

    // Filled to its width at each row of dots; the quartiles and the median are characters over it.
    void draw_violin(std::size_t index) {
        const Series& series = figure_.series[index];
        const int color = static_cast<int>(series.color);
        const double middle = static_cast<double>(index);
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const Point& point = series.points[i];
            const double half = x_of(middle + point.x) - x_of(middle), y = y_of(point.y);
            canvas_.line(x_of(middle) - half, y, x_of(middle) + half, y, color);
        }
        const bool ascii = screen_.made_of == Characters::ascii;
        const std::size_t column = canvas_.column_of(x_of(middle));
        const auto row_of = [&](double value) { return canvas_.row_of(y_of(value)); };
        for (std::size_t row = row_of(series.quartiles.high); row <= row_of(series.quartiles.low); ++row)
            canvas_.put(column, row, ascii ? "|" : "┃", no_color);
        canvas_.put(column, row_of(series.quartiles.middle), ascii ? "*" : "●", no_color);
    }

    // The height of each column of a histogram: that of the bin at its middle, or of the highest bin whose middle is in
    // it, so that none is lost where several share a column.
    std::vector<double> heights_of_columns(const Series& series) const {
        std::vector<double> heights(width_, 0);
        for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
            const double left = figure_.x.position(series.points[i].x) * static_cast<double>(width_);
            const double right = figure_.x.position(series.points[i + 1].x) * static_cast<double>(width_);
            for (std::size_t column = 0; column < width_; ++column) {
                const double begin = static_cast<double>(column), middle = begin + 0.5, own = (left + right) / 2;
                if ((middle >= left && middle < right) || (own >= begin && own < begin + 1))
                    heights[column] = std::max(heights[column], series.points[i].y);
            }
        }
        return heights;
    }

    // One histogram: its columns are filled, by eighths_up of a character.
    void draw_columns(const Series& series) {
        const bool ascii = screen_.made_of == Characters::ascii;
        const std::vector<double> heights = heights_of_columns(series);
        for (std::size_t column = 0; column < width_; ++column) {
            const double count = heights[column];
            const double filled = figure_.y.position(count) * static_cast<double>(height_);
            for (std::size_t row = 0; row < height_; ++row) {
                const double share = std::clamp(filled - static_cast<double>(height_ - 1 - row), 0.0, 1.0);
                const bool any = count > 0 && row + 1 == height_;
                const int eighth = std::max(static_cast<int>(std::lround(share * 8)), any ? 1 : 0);
                if (eighth == 0) continue;
                if (ascii && eighth < 4 && !any) continue;
                canvas_.put(column, row, ascii ? "#" : eighths_up[eighth], static_cast<int>(series.color));
            }
        }
    }

    const Figure& figure_;
    const Screen screen_;
    const std::vector<Tick> ticks_;
    const std::size_t label_width_, width_, height_;
    Canvas canvas_;
};

std::string drawn_axes(const Figure& figure, const Size& size, const Screen& screen) {
    return AxesDrawing(figure, size, screen).draw();
}

// ---- rows of boxes: a line each, boxes to an eighth of a character

constexpr const char* eighths_across[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

// A bar from the left end of the axis.
std::string bar_of(double length, bool is_predicted, bool ascii) {
    std::string bar;
    const auto parts = static_cast<std::size_t>(std::lround(std::max(length, 0.0) * 8));
    if (is_predicted) {  // (an outline takes three lines)
        for (std::size_t i = 0; i < std::max<std::size_t>(parts / 8, parts > 0); ++i) bar += ascii ? "=" : "░";
        return bar;
    }
    for (std::size_t i = 0; i < parts / 8; ++i) bar += ascii ? "#" : "█";
    if (ascii) return parts > 0 && bar.empty() ? "#" : bar;
    if (parts == 0 && length > 0) return eighths_across[1];
    return bar + eighths_across[parts % 8];
}

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
                bar = colored(bar_of(figure.x.position(box.end) * cells, box.is_predicted, ascii), color, screen);
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

// ---- the whole

struct Entry {
    std::string sign, name;
    int color;
};

// Of a series that is not alone.
std::string sign_of(const Figure& figure, std::size_t index, const Screen& screen) {
    const Series& series = figure.series[index];
    const std::string letter(1, letter_of(index));
    if (!screen.colors || series.mark == Mark::violin) return series.is_predicted ? '(' + letter + ')' : letter;
    if (figure.has_predictions()) return dot_of(series, screen);
    return screen.made_of == Characters::ascii ? "-" : "━";
}

std::vector<Entry> entries_of(const Figure& figure, const Screen& screen) {
    std::vector<Entry> entries;
    const bool ascii = screen.made_of == Characters::ascii;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        const Series& series = figure.series[i];
        const bool alone = figure.series.size() == 1;
        if (alone || series.name.empty()) continue;
        if (series.mark == Mark::roof) entries.push_back({ascii ? "--" : "╌╌", series.name, gray});
        else entries.push_back({sign_of(figure, i, screen), series.name, static_cast<int>(series.color)});
    }
    // (The names of bars already say it, unless it is what is predicted.)
    const auto predicted =
        std::find_if(figure.boxes.begin(), figure.boxes.end(), [](const Box& box) { return box.is_predicted; });
    const bool has_predictions = predicted != figure.boxes.end();
    if (figure.colors.size() > 1 && (figure.kind != "bars" || has_predictions))
        for (std::size_t i = 0; i < figure.colors.size(); ++i) {
            const bool is_open = has_predictions && predicted->category == i;
            const std::string block = is_open ? (ascii ? "=" : "░") : ascii ? "#" : "█";
            entries.push_back({screen.colors || has_predictions ? block : std::string(1, letter_of(i)),
                               figure.colors[i], static_cast<int>(i % color_count)});
        }
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
