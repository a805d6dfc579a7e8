// SPDX-License-Identifier: MIT
// The paper of an SVG: its layout, and the elements on it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/plot/figure.hpp"
#include "tools/plot/options.hpp"

namespace plot {

constexpr double letter = 6.7;  // pixels, at 12 pixels a line
extern const char* const dashes[dash_count];

class Paper {
public:
    Paper(const Figure& figure, const std::optional<Size>& size);

    const Figure& figure() const { return figure_; }
    double width() const { return width_; }
    double height() const { return height_; }
    double left() const { return left_; }
    double right() const { return width_ - legend_ - room_for_labels_; }
    double top() const { return 56; }
    double bottom() const { return height_ - 48 - room_for_names_; }
    double right_of_plot() const { return width_ - legend_ + 16; }  // where the legend begins
    bool has_legend() const;
    // Names that are too long to fit side by side are rotated.
    bool turns_names() const { return room_for_names_ > 0; }
    std::size_t letters_of_names() const { return static_cast<std::size_t>(2 * room_for_names_ / letter + 0.5); }
    double x_of(double value) const { return left_ + figure_.x.position(value) * (right() - left_); }
    double y_of(double value) const { return bottom() - figure_.y.position(value) * (bottom() - top()); }
    std::vector<Tick> y_ticks() const;

    void add(const std::string& elements) { elements_ += elements; }
    void write(const char* of, double x, double y, const std::string& words, const char* anchor,
               const std::string& more = "");
    void line(double x1, double y1, double x2, double y2, const char* color);
    const std::string& elements() const { return elements_; }

private:
    const Figure& figure_;
    std::string elements_;
    double width_, height_, left_ = 76, legend_, room_for_labels_ = 0, room_for_names_ = 0;
};

// What the pointer shows of an element; "" for nothing.
std::string titled(const std::string& hover);

// The parts inside the axes.
void draw_series(Paper& paper);
void draw_rows(Paper& paper);

}  // namespace plot
