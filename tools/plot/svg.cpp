// SPDX-License-Identifier: MIT
#include "tools/plot/svg.hpp"

#include <algorithm>
#include <cstddef>

#include "common/io/text.hpp"
#include "tools/plot/svg_paper.hpp"
#include "tools/plot/words.hpp"

namespace plot {
namespace {

void draw_x_axis(Paper& paper) {
    const Axis& axis = paper.figure().x;
    paper.add("<g class=\"axis x\">\n");
    const double room = paper.right() - paper.left();
    for (const Tick& tick : axis.ticks(static_cast<std::size_t>(room / 70), static_cast<std::size_t>(room / letter))) {
        const double x = paper.x_of(tick.value), y = paper.bottom() + 16;
        if (axis.names.empty()) paper.line(x, paper.top(), x, paper.bottom(), "#e4e4e4");
        const double half = letter * static_cast<double>(width_of(tick.text)) / 2;
        if (!paper.turns_names()) paper.write("tick", std::min(x, paper.width() - half - 4), y, tick.text, "middle");
        else
            paper.write("tick", x + 4, y, fitting(tick.text, paper.letters_of_names()), "end",
                        text("transform=\"rotate(-30 {:.1f} {:.1f})\"", x + 4, y));
    }
    paper.line(paper.left(), paper.bottom(), paper.right(), paper.bottom(), "#333333");
    paper.write("label", (paper.left() + paper.right()) / 2, paper.height() - 12, axis.label, "middle",
                "fill=\"#333333\"");
    paper.add("</g>\n");
}

void draw_y_axis(Paper& paper) {
    paper.add("<g class=\"axis y\">\n");
    for (const Tick& tick : paper.y_ticks()) {
        paper.line(paper.left(), paper.y_of(tick.value), paper.right(), paper.y_of(tick.value), "#e4e4e4");
        paper.write("tick", paper.left() - 6, paper.y_of(tick.value) + 4, tick.text, "end");
    }
    paper.line(paper.left(), paper.top(), paper.left(), paper.bottom(), "#333333");
    const double middle = (paper.top() + paper.bottom()) / 2;
    paper.write("label", 16, middle, paper.figure().y.label, "middle",
                text("fill=\"#333333\" transform=\"rotate(-90 16 {:.1f})\"", middle));
    paper.add("</g>\n");
}

void draw_legend(Paper& paper) {
    const Figure& figure = paper.figure();
    const double x = paper.right_of_plot();
    double y = paper.top() + 8;
    const auto entry = [&](const std::string& name, std::size_t color, std::size_t dash, bool is_line) {
        const char* hex = palette[color].hex;
        if (is_line)
            paper.add(
                text("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                     "stroke-width=\"2.5\"{}/>\n",
                     x, y, x + 18, y, hex, *dashes[dash] ? text(" stroke-dasharray=\"{}\"", dashes[dash]) : ""));
        else
            paper.add(
                text("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, y - 6, hex));
        paper.write("entry", x + 24, y + 4, fitting(name, static_cast<std::size_t>((paper.width() - x - 24) / letter)),
                    "start");
        y += 18;
    };
    paper.add("<g class=\"legend\">\n");
    if (paper.has_legend())
        for (const Series& series : figure.series)
            if (series.mark != Mark::roof) entry(series.name, series.color, series.dash, true);
    if (figure.colors.size() > 1)
        for (std::size_t i = 0; i < figure.colors.size(); ++i) entry(figure.colors[i], i % color_count, 0, false);
    paper.add("</g>\n");
}

}  // namespace

std::string svg_of(const Figure& figure, const std::optional<Size>& size) {
    Paper paper(figure, size);
    paper.write("title", paper.left(), 22, figure.title, "start", "font-size=\"15\" font-weight=\"bold\"");
    paper.write("subtitle", paper.left(), 40, figure.below_title(), "start", "fill=\"#555555\"");
    draw_x_axis(paper);
    if (figure.has_rows()) draw_rows(paper);
    else draw_y_axis(paper), draw_series(paper);
    draw_legend(paper);
    return text(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
               "height=\"{:.0f}\" role=\"img\" class=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n"
               "<title>{}</title>\n<rect class=\"paper\" width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#ffffff\"/>\n",
               paper.width(), paper.height(), paper.width(), paper.height(), figure.kind, xml(figure.title),
               paper.width(), paper.height()) +
           paper.elements() + "</svg>\n";
}

}  // namespace plot
