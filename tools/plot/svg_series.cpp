// SPDX-License-Identifier: MIT
// Series as SVG: lines with their bands, histograms, violins.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "common/io/text.hpp"
#include "tools/plot/svg_paper.hpp"
#include "tools/plot/words.hpp"

namespace plot {
namespace {

void draw_line(Paper& paper, const Series& series, const char* color) {
    std::string path, upper;
    std::vector<std::string> lower;  // goes back to the beginning of the band
    for (const Point& point : series.points) {
        path += text("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", paper.x_of(point.x), paper.y_of(point.y));
        if (std::isnan(point.low) || std::isnan(point.high)) continue;
        upper += text("{}{:.1f} {:.1f}", upper.empty() ? "M" : " L", paper.x_of(point.x), paper.y_of(point.high));
        lower.push_back(text(" L{:.1f} {:.1f}", paper.x_of(point.x), paper.y_of(point.low)));
    }
    for (std::size_t i = lower.size(); i > 0; --i) upper += lower[i - 1];
    if (!upper.empty())
        paper.add(text("<path class=\"band\" d=\"{} Z\" fill=\"{}\" fill-opacity=\"0.18\" stroke=\"none\"/>\n", upper,
                       color));
    const std::string dash = series.mark == Mark::roof ? "6 4" : dashes[series.dash];
    paper.add(text("<path class=\"line\" d=\"{}\" stroke-width=\"{}\"{}/>\n", path,
                   series.mark == Mark::roof ? "1.2" : "1.8",
                   dash.empty() ? "" : " stroke-dasharray=\"" + dash + "\""));
    if (series.mark == Mark::roof) {
        const Point& last = series.points.back();
        paper.write("roof", paper.x_of(last.x) - 4, paper.y_of(last.y) - 5, series.name, "end",
                    text("fill=\"{}\" stroke=\"none\"", color));
        return;
    }
    const double radius = series.points.size() > 100 ? 1.2 : 3;
    for (const Point& point : series.points) {
        paper.add(text("<circle class=\"point\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\">{}</circle>\n",
                       paper.x_of(point.x), paper.y_of(point.y), radius, color, titled(point.hover)));
        paper.write("note", paper.x_of(point.x) + 5, paper.y_of(point.y) - 6, point.note, "start",
                    "stroke=\"none\" fill=\"#333333\" font-size=\"10\"");
    }
}

void draw_steps(Paper& paper, const Series& series, const char* color) {
    std::string path = text("M{:.1f} {:.1f}", paper.x_of(series.points.front().x), paper.y_of(0));
    for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
        const Point& point = series.points[i];
        const double left = paper.x_of(point.x), right = paper.x_of(series.points[i + 1].x), top = paper.y_of(point.y);
        path += text(" L{:.1f} {:.1f} L{:.1f} {:.1f}", left, top, right, top);
        if (point.y == 0) continue;
        paper.add(
            text("<rect class=\"bin\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
                 "fill-opacity=\"0.25\" stroke=\"none\">{}</rect>\n",
                 left, top, right - left, paper.bottom() - top, color, titled(point.hover)));
    }
    paper.add(text("<path class=\"line\" d=\"{} L{:.1f} {:.1f}\" stroke-width=\"1.5\"{}/>\n", path,
                   paper.x_of(series.points.back().x), paper.y_of(0),
                   *dashes[series.dash] ? text(" stroke-dasharray=\"{}\"", dashes[series.dash]) : ""));
}

void draw_violin(Paper& paper, const Series& series, double middle, const char* color) {
    std::string path, back;
    for (const Point& point : series.points) {
        path += text("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", paper.x_of(middle + point.x), paper.y_of(point.y));
        back.insert(0, text(" L{:.1f} {:.1f}", paper.x_of(middle - point.x), paper.y_of(point.y)));
    }
    const double x = paper.x_of(middle), half = 4, radius = 3;
    const double low = paper.y_of(series.quartiles.low), high = paper.y_of(series.quartiles.high);
    paper.add(
        text("<path class=\"violin\" d=\"{}{} Z\" fill=\"{}\" fill-opacity=\"0.35\" stroke-width=\"1.2\">{}</path>\n"
             "<rect class=\"quartiles\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#222222\" "
             "stroke=\"none\"/>\n"
             "<circle class=\"median\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"#ffffff\" stroke=\"#222222\"/>\n",
             path, back, color, titled(series.points.front().hover), x - half, high, 2 * half, low - high, x,
             paper.y_of(series.quartiles.middle), radius));
}

}  // namespace

void draw_series(Paper& paper) {
    double place = 0;
    for (const Series& series : paper.figure().series) {
        const char* color = palette[series.color].hex;
        paper.add(text("<g class=\"series\" data-name=\"{}\" stroke=\"{}\" fill=\"none\">\n", xml(series.name), color));
        if (series.mark == Mark::steps) draw_steps(paper, series, color);
        else if (series.mark == Mark::violin) draw_violin(paper, series, place++, color);
        else draw_line(paper, series, color);
        paper.add("</g>\n");
    }
}

}  // namespace plot
