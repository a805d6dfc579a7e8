#include "tools/plot/svg.hpp"

#include <algorithm>
#include <cmath>

#include "common/io/text.hpp"
#include "tools/plot/words.hpp"

namespace plot {
namespace {

constexpr double letter = 6.7, row_height = 22;  // pixels, at 12 pixels a line
constexpr const char* dashes[dash_count] = {"", "7 4", "2 3", "9 3 2 3"};

class Drawing {
public:
    Drawing(const Figure& figure, const std::optional<Size>& size) : figure_(figure) {
        double names = 0;
        for (const Series& series : figure.series) names = std::max(names, text_width(series.name) + 34);
        for (const std::string& color : figure.colors) names = std::max(names, text_width(color) + 34);
        const bool has_legend = figure.colors.size() > 1 || figure.series.size() > 1 || is_roofline();
        right_ = has_legend ? std::min(names, 280.0) + 20 : 24;
        width_ = size ? static_cast<double>(size->width) : (figure.has_rows() ? 760 : 640) + (has_legend ? right_ : 0);
        const double needed = top_ + 56 + row_height * static_cast<double>(figure.rows.size());
        const double legend =
            top_ + 60 + 18 * static_cast<double>(std::max(figure.series.size(), figure.colors.size()));
        height_ = size ? static_cast<double>(size->height)
                       : std::max(figure.has_rows() ? needed : 420.0, has_legend ? legend : 0.0);
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
        right_ = std::min(right_, width_ / 2), left_ = std::min(left_, width_ / 3);
    }

    std::string draw() {
        out_ = text(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
            "height=\"{:.0f}\" role=\"img\" class=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n",
            width_, height_, width_, height_, figure_.kind);
        out_ += text("<title>{}</title>\n", xml(figure_.title));
        out_ += text("<rect class=\"paper\" width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#ffffff\"/>\n", width_, height_);
        write("title", left_, 22, figure_.title, "start", "font-size=\"15\" font-weight=\"bold\"");
        std::string below = figure_.subtitle;
        if (!figure_.band.empty()) below += (below.empty() ? "" : "; ") + figure_.band;
        write("subtitle", left_, 40, below, "start", "fill=\"#555555\"");
        draw_x_axis();
        if (figure_.has_rows()) draw_rows();
        else draw_y_axis(), draw_series();
        draw_legend();
        return out_ + "</svg>\n";
    }

private:
    bool is_roofline() const { return figure_.kind == "roofline"; }
    static double text_width(const std::string& text) { return letter * static_cast<double>(width_of(text)); }
    double bottom() const { return height_ - 48; }
    std::vector<Tick> y_ticks() const { return figure_.y.ticks(static_cast<std::size_t>((bottom() - top_) / 36)); }
    double plot_right() const { return width_ - right_ - room_for_labels_; }
    double x_of(double value) const { return left_ + figure_.x.position(value) * (plot_right() - left_); }
    double y_of(double value) const { return bottom() - figure_.y.position(value) * (bottom() - top_); }

    void write(const char* of, double x, double y, const std::string& words, const char* anchor,
               const char* more = "") {
        if (words.empty()) return;
        out_ += text("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", of, x, y, anchor,
                     more, xml(words));
    }

    void line(double x1, double y1, double x2, double y2, const char* color) {
        out_ += text("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                     color);
    }

    static std::string titled(const std::string& hover) {
        return hover.empty() ? "" : "<title>" + xml(hover) + "</title>";
    }

    void draw_x_axis() {
        out_ += "<g class=\"axis x\">\n";
        const auto most = static_cast<std::size_t>((plot_right() - left_) / 70);
        for (const Tick& tick : figure_.x.ticks(most)) {
            line(x_of(tick.value), top_, x_of(tick.value), bottom(), "#e4e4e4");
            write("tick", x_of(tick.value), bottom() + 16, tick.text, "middle");
        }
        line(left_, bottom(), plot_right(), bottom(), "#333333");
        write("label", (left_ + plot_right()) / 2, bottom() + 36, figure_.x.label, "middle", "fill=\"#333333\"");
        out_ += "</g>\n";
    }

    void draw_y_axis() {
        out_ += "<g class=\"axis y\">\n";
        for (const Tick& tick : y_ticks()) {
            line(left_, y_of(tick.value), plot_right(), y_of(tick.value), "#e4e4e4");
            write("tick", left_ - 6, y_of(tick.value) + 4, tick.text, "end");
        }
        line(left_, top_, left_, bottom(), "#333333");
        const double middle = (top_ + bottom()) / 2;
        write("label", 16, middle, figure_.y.label, "middle",
              text("fill=\"#333333\" transform=\"rotate(-90 16 {:.1f})\"", middle).c_str());
        out_ += "</g>\n";
    }

    void draw_series() {
        for (const Series& series : figure_.series) {
            const char* color = palette[series.color].hex;
            out_ +=
                text("<g class=\"series\" data-name=\"{}\" stroke=\"{}\" fill=\"none\">\n", xml(series.name), color);
            if (series.mark == Mark::steps) draw_steps(series, color);
            else draw_line(series, color);
            out_ += "</g>\n";
        }
    }

    void draw_line(const Series& series, const char* color) {
        std::string path, upper;
        std::vector<std::string> lower;  // goes back to where the band began
        for (const Point& point : series.points) {
            path += text("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x_of(point.x), y_of(point.y));
            if (std::isnan(point.low) || std::isnan(point.high)) continue;
            upper += text("{}{:.1f} {:.1f}", upper.empty() ? "M" : " L", x_of(point.x), y_of(point.high));
            lower.push_back(text(" L{:.1f} {:.1f}", x_of(point.x), y_of(point.low)));
        }
        for (std::size_t i = lower.size(); i > 0; --i) upper += lower[i - 1];
        if (!upper.empty())
            out_ += text("<path class=\"band\" d=\"{} Z\" fill=\"{}\" fill-opacity=\"0.18\" stroke=\"none\"/>\n", upper,
                         color);
        const std::string dash = series.mark == Mark::roof ? "6 4" : dashes[series.dash];
        out_ +=
            text("<path class=\"line\" d=\"{}\" stroke-width=\"{}\"{}/>\n", path,
                 series.mark == Mark::roof ? "1.2" : "1.8", dash.empty() ? "" : " stroke-dasharray=\"" + dash + "\"");
        if (series.mark == Mark::roof) {
            const Point& last = series.points.back();
            write("roof", x_of(last.x) - 4, y_of(last.y) - 5, series.name, "end",
                  text("fill=\"{}\" stroke=\"none\"", color).c_str());
            return;
        }
        const double radius = series.points.size() > 100 ? 1.2 : 3;
        for (const Point& point : series.points) {
            out_ += text("<circle class=\"point\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\">{}</circle>\n",
                         x_of(point.x), y_of(point.y), radius, color, titled(point.hover));
            write("note", x_of(point.x) + 5, y_of(point.y) - 6, point.note, "start",
                  "stroke=\"none\" fill=\"#333333\" font-size=\"10\"");
        }
    }

    void draw_steps(const Series& series, const char* color) {
        std::string path = text("M{:.1f} {:.1f}", x_of(series.points.front().x), y_of(0));
        for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
            const Point& point = series.points[i];
            const double left = x_of(point.x), right = x_of(series.points[i + 1].x), top = y_of(point.y);
            path += text(" L{:.1f} {:.1f} L{:.1f} {:.1f}", left, top, right, top);
            if (point.y == 0) continue;
            out_ += text(
                "<rect class=\"bin\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
                "fill-opacity=\"0.25\" stroke=\"none\">{}</rect>\n",
                left, top, right - left, bottom() - top, color, titled(point.hover));
        }
        out_ += text("<path class=\"line\" d=\"{} L{:.1f} {:.1f}\" stroke-width=\"1.5\"{}/>\n", path,
                     x_of(series.points.back().x), y_of(0),
                     *dashes[series.dash] ? text(" stroke-dasharray=\"{}\"", dashes[series.dash]) : "");
    }

    void draw_rows() {
        const double height = (bottom() - top_) / static_cast<double>(figure_.rows.size());
        const auto middle_of = [&](std::size_t row) { return top_ + height * (static_cast<double>(row) + 0.5); };
        const auto most_letters = static_cast<std::size_t>((left_ - 12) / letter);
        for (std::size_t row = 0; row < figure_.rows.size(); ++row)
            if (figure_.headings.count(row) > 0)
                write("heading", left_ + 4, middle_of(row) + 5, figure_.rows[row], "start", "font-weight=\"bold\"");
            else write("row", left_ - 6, middle_of(row) + 4, fitting(figure_.rows[row], most_letters), "end");
        const bool is_neighbour = figure_.kind == "timeline";
        for (const Box& box : figure_.boxes) {
            const double from = x_of(std::min(box.begin, box.end)), to = x_of(std::max(box.begin, box.end));
            const double middle = middle_of(box.row), half = std::min(height * 0.36, 14.0);
            out_ += text(
                "<g class=\"bar\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" "
                "fill=\"{}\"{}>{}</rect>\n",
                from, middle - half, std::max(to - from, 0.5), 2 * half, palette[box.color].hex,
                is_neighbour && to - from > 4 ? " stroke=\"#ffffff\" stroke-width=\"0.6\"" : "", titled(box.hover));
            double end = std::max(to, x_of(0));
            if (figure_.x.log || box.begin != 0) end = to;
            if (!std::isnan(box.low) && !std::isnan(box.high)) {
                line(x_of(box.low), middle, x_of(box.high), middle, "#222222");
                end = std::max(end, x_of(box.high));
            }
            write("value", end + 6, middle + 4, box.label, "start");
            out_ += "</g>\n";
        }
    }

    void draw_legend() {
        const double x = width_ - right_ + 16;
        double y = top_ + 8;
        const auto entry = [&](const std::string& name, std::size_t color, std::size_t dash, bool is_line) {
            const char* hex = palette[color].hex;
            if (is_line)
                out_ += text(
                    "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                    "stroke-width=\"2.5\"{}/>\n",
                    x, y, x + 18, y, hex, *dashes[dash] ? text(" stroke-dasharray=\"{}\"", dashes[dash]) : "");
            else
                out_ +=
                    text("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, y - 6, hex);
            write("entry", x + 24, y + 4, fitting(name, static_cast<std::size_t>((right_ - 40) / letter)), "start");
            y += 18;
        };
        out_ += "<g class=\"legend\">\n";
        if (figure_.series.size() > 1 || is_roofline())
            for (const Series& series : figure_.series)
                if (series.mark != Mark::roof) entry(series.name, series.color, series.dash, true);
        if (figure_.colors.size() > 1)
            for (std::size_t i = 0; i < figure_.colors.size(); ++i) entry(figure_.colors[i], i % color_count, 0, false);
        out_ += "</g>\n";
    }

    const Figure& figure_;
    std::string out_;
    double width_, height_, left_ = 76, right_, room_for_labels_ = 0;
    static constexpr double top_ = 56;
};

}  // namespace

std::string svg_of(const Figure& figure, const std::optional<Size>& size) { return Drawing(figure, size).draw(); }

}  // namespace plot
