// SPDX-License-Identifier: MIT
// Rows of boxes as SVG.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "common/io/text.hpp"
#include "tools/plot/svg_paper.hpp"
#include "tools/plot/words.hpp"

namespace plot {

void draw_rows(Paper& paper) {
    const Figure& figure = paper.figure();
    const double height = (paper.bottom() - paper.top()) / static_cast<double>(figure.rows.size());
    const auto middle_of = [&](std::size_t row) { return paper.top() + height * (static_cast<double>(row) + 0.5); };
    const auto most_letters = static_cast<std::size_t>((paper.left() - 12) / letter);
    for (std::size_t row = 0; row < figure.rows.size(); ++row)
        if (figure.headings.count(row) > 0)
            paper.write("heading", paper.left() + 4, middle_of(row) + 5, figure.rows[row], "start",
                        "font-weight=\"bold\"");
        else paper.write("row", paper.left() - 6, middle_of(row) + 4, fitting(figure.rows[row], most_letters), "end");
    const bool is_neighbor = figure.kind == "timeline";
    for (const Box& box : figure.boxes) {
        const double from = paper.x_of(std::min(box.begin, box.end)), to = paper.x_of(std::max(box.begin, box.end));
        const double middle = middle_of(box.row), half = std::min(height * 0.36, 14.0);
        paper.add(
            text("<g class=\"bar\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" "
                 "fill=\"{}\"{}>{}</rect>\n",
                 from, middle - half, std::max(to - from, 0.5), 2 * half, palette[box.color].hex,
                 is_neighbor && to - from > 4 ? " stroke=\"#ffffff\" stroke-width=\"0.6\"" : "", titled(box.hover)));
        double end = std::max(to, paper.x_of(0));
        if (figure.x.log || box.begin != 0) end = to;
        if (!std::isnan(box.low) && !std::isnan(box.high)) {
            paper.line(paper.x_of(box.low), middle, paper.x_of(box.high), middle, "#222222");
            end = std::max(end, paper.x_of(box.high));
        }
        paper.write("value", end + 6, middle + 4, box.label, "start");
        paper.add("</g>\n");
    }
}

}  // namespace plot
