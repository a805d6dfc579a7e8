// SPDX-License-Identifier: MIT
// Series in characters: lines as dots, histograms as columns of blocks.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tools/plot/terminal.hpp"
#include "tools/plot/words.hpp"

namespace plot {
namespace {

constexpr const char* eighths_up[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

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
        const bool marked = !screen_.colors || series.points.size() == 1;
        for (const Point& point : series.points) {
            if (figure_.series.size() <= 3 && !std::isnan(point.low) && !std::isnan(point.high))
                canvas_.line(x_of(point.x), y_of(point.low), x_of(point.x), y_of(point.high), color);
        }
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const Point& point = series.points[i];
            const std::size_t column = canvas_.column_of(x_of(point.x)), row = canvas_.row_of(y_of(point.y));
            const bool is_crowd = series.points.size() > width_ || steps;
            if (marked && (!is_crowd || i % (series.points.size() / 4 + 1) == 0)) {
                const std::string dot = screen_.made_of == Characters::ascii ? "*" : "●";
                canvas_.put(column, row, figure_.series.size() == 1 ? dot : std::string(1, letter_of(index)), color);
            }
            const std::string note = clean(point.note);
            if (column + 2 + width_of(note) > width_) continue;
            std::size_t at = column + 1;
            for (std::size_t i = 0, next; i < note.size(); i = next) {  // a character, with its continuation bytes
                for (next = i + 1; next < note.size() && (note[next] & 0xC0) == 0x80;) ++next;
                canvas_.put(at, row, note.substr(i, next - i), no_color);
                at += width_of(note.substr(i, next - i));
            }
        }
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

}  // namespace

std::string drawn_axes(const Figure& figure, const Size& size, const Screen& screen) {
    return AxesDrawing(figure, size, screen).draw();
}

}  // namespace plot
