// SPDX-License-Identifier: MIT
#include "tools/plot/svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "common/io/text.hpp"
#include "tools/plot/words.hpp"

namespace plot {

namespace {

// ---- the paper

constexpr double letter = 6.7;                // pixels, at 12 pixels a line
constexpr const char* open_fill = "#ffffff";  // of what is predicted
constexpr const char* dashes[dash_count] = {"", "7 4", "2 3", "9 3 2 3"};

// The layout of an SVG, and the elements on it.
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

constexpr double row_height = 22, violin_width = 64;

double text_width(const std::string& text) { return letter * static_cast<double>(width_of(text)); }

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

// What the pointer shows of an element; "" for nothing.
std::string titled(const std::string& hover) { return hover.empty() ? "" : "<title>" + xml(hover) + "</title>"; }

// ---- series: lines with their bands, histograms, violins

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
    if (!upper.empty() && !series.is_predicted)
        paper.add(
            text("<path class=\"band\" d=\"{} Z\" fill=\"{}\" fill-opacity=\"0.18\" "
                 "stroke=\"none\"/>\n",
                 upper, color));
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
        const double x = paper.x_of(point.x);
        if (series.is_predicted && !std::isnan(point.low) && !std::isnan(point.high))
            paper.add(
                text("<path class=\"interval\" d=\"M{0:.1f} {1:.1f} V{2:.1f} M{3:.1f} {1:.1f} H{4:.1f} M{3:.1f} "
                     "{2:.1f} H{4:.1f}\"/>\n",
                     x, paper.y_of(point.low), paper.y_of(point.high), x - 3, x + 3));
        paper.add(text("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\">{}</circle>\n",
                       series.is_predicted ? "predicted point" : "point", x, paper.y_of(point.y), radius,
                       series.is_predicted ? open_fill : color, titled(point.hover)));
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
             "<rect class=\"quartiles\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
             "height=\"{:.1f}\" fill=\"#222222\" "
             "stroke=\"none\"/>\n"
             "<circle class=\"median\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"#ffffff\" "
             "stroke=\"#222222\"/>\n",
             path, back, color, titled(series.points.front().hover), x - half, high, 2 * half, low - high, x,
             paper.y_of(series.quartiles.middle), radius));
}

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

// ---- rows of boxes

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
        const char* const color = palette[box.color].hex;
        const double middle = middle_of(box.row), half = std::min(height * 0.36, 14.0);
        paper.add(
            text("<g class=\"bar\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" "
                 "fill=\"{}\"{}>{}</rect>\n",
                 from, middle - half, std::max(to - from, 0.5), 2 * half, box.is_predicted ? open_fill : color,
                 box.is_predicted               ? text(" class=\"predicted\" stroke=\"{}\" stroke-width=\"1.6\"", color)
                 : is_neighbor && to - from > 4 ? " stroke=\"#ffffff\" stroke-width=\"0.6\""
                                                : "",
                 titled(box.hover)));
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

// ---- axes and the legend

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
    const auto is_predicted = [&](std::size_t category) {
        return std::any_of(figure.boxes.begin(), figure.boxes.end(),
                           [&](const Box& box) { return box.category == category && box.is_predicted; });
    };
    const auto entry = [&](const std::string& name, std::size_t color, std::size_t dash, bool is_line, bool is_open) {
        const char* hex = palette[color].hex;
        if (is_line)
            paper.add(
                text("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                     "stroke-width=\"2.5\"{}/>\n",
                     x, y, x + 18, y, hex, *dashes[dash] ? text(" stroke-dasharray=\"{}\"", dashes[dash]) : ""));
        else
            paper.add(text("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\" stroke=\"{}\"/>\n",
                           x, y - 6, is_open ? open_fill : hex, hex));
        if (is_line && figure.has_predictions())
            paper.add(text("<circle class=\"sign\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\" stroke=\"{}\"/>\n",
                           x + 9, y, is_open ? open_fill : hex, hex));
        paper.write("entry", x + 24, y + 4, fitting(name, static_cast<std::size_t>((paper.width() - x - 24) / letter)),
                    "start");
        y += 18;
    };
    paper.add("<g class=\"legend\">\n");
    if (paper.has_legend())
        for (const Series& series : figure.series)
            if (series.mark != Mark::roof) entry(series.name, series.color, series.dash, true, series.is_predicted);
    if (figure.colors.size() > 1)
        for (std::size_t i = 0; i < figure.colors.size(); ++i)
            entry(figure.colors[i], i % color_count, 0, false, is_predicted(i));
    paper.add("</g>\n");
}

}  // namespace

// What has no row of its own lets the pointer through to what has one.
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
               "<title>{}</title>\n"
               "<style>.line, .band, .quartiles, .median, .note {{ pointer-events: none; }}</style>\n"
               "<rect class=\"paper\" width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#ffffff\"/>\n",
               paper.width(), paper.height(), paper.width(), paper.height(), figure.kind, xml(figure.title),
               paper.width(), paper.height()) +
           paper.elements() + "</svg>\n";
}

}  // namespace plot
