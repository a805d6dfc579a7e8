// SPDX-License-Identifier: MIT
#include "tools/plot/svg_paper.hpp"

#include <algorithm>
#include <cstddef>

#include "common/io/text.hpp"
#include "tools/plot/words.hpp"

namespace plot {

const char* const dashes[dash_count] = {"", "7 4", "2 3", "9 3 2 3"};

namespace {

constexpr double row_height = 22, violin_width = 64;

double text_width(const std::string& text) { return letter * static_cast<double>(width_of(text)); }

}  // namespace

Paper::Paper(const Figure& figure, const std::optional<Size>& size) : figure_(figure) {
    double names = 0;
    for (const Series& series : figure.series) names = std::max(names, text_width(series.name) + 34);
    for (const std::string& color : figure.colors) names = std::max(names, text_width(color) + 34);
    legend_ = has_legend() ? std::min(names, 280.0) + 20 : 24;
    const double violins = 100 + violin_width * static_cast<double>(figure.x.names.size());
    width_ = size ? static_cast<double>(size->width)
                  : std::max(figure.has_rows() ? 760.0 : 640.0, violins) + (has_legend() ? legend_ : 0);
    const double needed = top() + 56 + row_height * static_cast<double>(figure.rows.size());
    const double legend = top() + 60 + 18 * static_cast<double>(std::max(figure.series.size(), figure.colors.size()));
    height_ = size ? static_cast<double>(size->height)
                   : std::max(figure.has_rows() ? needed : 420.0, has_legend() ? legend : 0.0);
    for (std::size_t row = 0; row < figure.rows.size(); ++row)
        if (figure.headings.count(row) == 0)
            left_ = std::max(left_, std::min(text_width(figure.rows[row]), 300.0) + 24);
    if (!figure.has_rows())
        for (const Tick& tick : y_ticks()) left_ = std::max(left_, text_width(tick.text) + 42);
    if (figure.has_rows()) {
        double label = 0;
        for (const Box& box : figure.boxes) label = std::max(label, text_width(box.label));
        room_for_labels_ = std::min(label + 12, 260.0);
    }
    legend_ = std::min(legend_, width_ / 2), left_ = std::min(left_, width_ / 3);
    double longest = 0;
    for (const Tick& name : figure.x.names) longest = std::max(longest, text_width(name.text));
    if (longest + 8 > (right() - left_) / static_cast<double>(std::max<std::size_t>(figure.x.names.size(), 1)))
        room_for_names_ = std::min(longest / 2, height_ / 3);  // (turned by 30 degrees)
    // The first name extends to the left of the axis.
    left_ = std::max(left_, std::min(width_ / 3, 1.73 * room_for_names_ - violin_width / 2));
}

bool Paper::has_legend() const {
    if (!figure_.x.names.empty()) return false;
    return figure_.colors.size() > 1 || figure_.series.size() > 1 || figure_.kind == "roofline";
}

std::vector<Tick> Paper::y_ticks() const { return figure_.y.ticks(static_cast<std::size_t>((bottom() - top()) / 36)); }

void Paper::write(const char* of, double x, double y, const std::string& words, const char* anchor,
                  const std::string& more) {
    if (words.empty()) return;
    add(text("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", of, x, y, anchor, more,
             xml(words)));
}

void Paper::line(double x1, double y1, double x2, double y2, const char* color) {
    add(text("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2, color));
}

std::string titled(const std::string& hover) { return hover.empty() ? "" : "<title>" + xml(hover) + "</title>"; }

}  // namespace plot
