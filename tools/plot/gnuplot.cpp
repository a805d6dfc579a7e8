// SPDX-License-Identifier: MIT
#include "tools/plot/gnuplot.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "common/io/number_writer.hpp"
#include "common/io/process.hpp"
#include "common/io/text.hpp"
#include "tools/plot/words.hpp"

namespace plot {
namespace {

// In single quotes, only the quotes themselves have a meaning.
std::string in_quotes(const std::string& words) {
    std::string inner;
    for (const char c : clean(words)) inner += c == '\'' ? "''" : std::string(1, c);
    return "'" + inner + "'";
}

// (NaN is a missing number to gnuplot.)
std::string number(double value) { return std::isnan(value) ? "NaN" : number_text(value); }

std::string axis_of(const char* name, const Axis& axis, std::size_t most_ticks, std::size_t most_letters) {
    std::string script = axis.log ? text("set logscale {}{}\n", name, axis.binary ? " 2" : "") : "";
    // Words that are too long to fit side by side are rotated.
    std::size_t letters = 0;
    for (const Tick& tick : axis.names) letters += std::max(width_of(tick.text), std::size_t{4});
    if (letters > 80) script += text("set {}tics rotate by -30\n", name);
    script += text("set {}range [{}:{}]\nset {}label {} noenhanced\nset {}tics (", name, number(axis.low),
                   number(axis.high), name, in_quotes(axis.label), name);
    const char* separator = "";
    for (const Tick& tick : axis.ticks(most_ticks, most_letters)) {
        script += text("{}{} {}", separator, in_quotes(tick.text), number(tick.value));
        separator = ", ";
    }
    return script + ") noenhanced\n";
}

std::string data_of(std::size_t index, const Series& series) {
    std::string block = text("$series{} << END\n", index);
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        const Point& point = series.points[i];
        if (series.mark == Mark::violin) {
            block += text("{} {}\n", number(static_cast<double>(index) + point.x), number(point.y));
        } else if (series.mark == Mark::steps) {
            if (i + 1 < series.points.size())
                block += text("{} {} {} {}\n", number(point.x), number(series.points[i + 1].x), 0, number(point.y));
        } else {
            block += text("{} {} {} {}\n", number(point.x), number(point.y), number(point.low), number(point.high));
        }
    }
    if (series.mark != Mark::violin) return block + "END\n";
    const double middle = static_cast<double>(index);
    for (std::size_t i = series.points.size(); i > 0; --i)
        block += text("{} {}\n", number(middle - series.points[i - 1].x), number(series.points[i - 1].y));
    return block + text("END\n$quartiles{} << END\n{} {} {} {}\nEND\n", index, index, number(series.quartiles.low),
                        number(series.quartiles.middle), number(series.quartiles.high));
}

std::string script_of_series(const Figure& figure) {
    std::string data, plots;
    const auto add = [&](const std::string& plot) { plots += (plots.empty() ? "plot " : ", \\\n     ") + plot; };
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        const Series& series = figure.series[i];
        const std::string source = text("$series{}", i), color = text("lc rgb '{}'", palette[series.color].hex);
        const std::string title = series.name.empty() || figure.series.size() == 1
                                      ? "notitle"
                                      : text("title {} noenhanced", in_quotes(series.name));
        data += data_of(i, series);
        if (series.mark == Mark::steps) {
            add(text("{} using 1:3:1:2:3:4 with boxxyerror fs solid 0.3 border {} {}", source, color, title));
            continue;
        }
        if (series.mark == Mark::violin) {
            add(text("{} using 1:2 with filledcurves closed fs transparent solid 0.35 border {} fc rgb '{}' notitle",
                     source, color, palette[series.color].hex));
            const std::string black = "lc rgb '#222222' notitle", white = "lc rgb '#ffffff' notitle";
            add(text("$quartiles{} using ($1-0.02):2:($1-0.02):($1+0.02):2:4 with boxxyerror fs solid 1 {}", i, black));
            add(
                text("$quartiles{0} using 1:3 with points pt 7 ps 1 {1}, $quartiles{0} using 1:3 with points pt 7 ps "
                     "0.7 {2}",
                     i, black, white));
            continue;
        }
        bool has_band = false;
        for (const Point& point : series.points) has_band |= !std::isnan(point.low);
        if (has_band && series.is_predicted)
            add(text("{} using 1:2:3:4 with yerrorbars pt 6 ps 0.9 {} notitle", source, color));
        else if (has_band)
            add(text("{} using 1:3:4 with filledcurves fs transparent solid 0.18 noborder {} notitle", source, color));
        const bool roof = series.mark == Mark::roof;
        add(text("{} using 1:2 with {} lw 1.5 dt {} {} {}", source,
                 roof                  ? "lines"
                 : series.is_predicted ? "linespoints pt 6 ps 0.9"
                                       : "linespoints pt 7 ps 0.5",
                 roof ? 2 : series.dash + 1, color, title));
        std::size_t labels = 0;
        for (const Point& point : series.points)
            if (!point.note.empty() && ++labels < 1000)
                data += text("set label {} at {},{} offset 0.5,0.5 noenhanced\n", in_quotes(point.note),
                             number(point.x), number(point.y));
    }
    return axis_of("x", figure.x, 9, 100) + axis_of("y", figure.y, 10, SIZE_MAX) + data + plots + "\n";
}

std::string script_of_rows(const Figure& figure) {
    std::string script = axis_of("x", figure.x, 8, 80);
    script += text("set yrange [{}:-0.5]\nset ytics (", static_cast<double>(figure.rows.size()) - 0.5);
    for (std::size_t row = 0; row < figure.rows.size(); ++row)
        script += text("{}{} {}", row > 0 ? ", " : "",
                       in_quotes(figure.headings.count(row) > 0 ? "" : figure.rows[row]), row);
    script += ") noenhanced\n";
    const bool has_labels =
        std::any_of(figure.boxes.begin(), figure.boxes.end(), [](const Box& box) { return !box.label.empty(); });
    if (has_labels) script += "set rmargin 30\n";
    for (const std::size_t row : figure.headings)
        script += text("set label {} at graph 0.005, first {} left noenhanced\n", in_quotes(figure.rows[row]), row);
    std::string plots;
    // What was measured and, at odd places, what is predicted of each category.
    std::vector<std::string> categories(2 * std::max<std::size_t>(figure.colors.size(), 1));
    for (const Box& box : figure.boxes)
        categories[2 * box.category + box.is_predicted] +=
            text("{} {} {} {} {} {}\n", number(box.begin), box.row, number(box.begin), number(box.end),
                 static_cast<double>(box.row) - 0.36, static_cast<double>(box.row) + 0.36);
    for (std::size_t i = 0; i < categories.size(); ++i) {
        if (categories[i].empty()) continue;
        const bool is_predicted = i % 2 == 1;
        const std::string name = text("{}{}", is_predicted ? "$predicted" : "$boxes", i / 2);
        script += text("{} << END\n{}END\n", name, categories[i]);
        const std::string title =
            categories.size() > 2 ? text("title {} noenhanced", in_quotes(figure.colors[i / 2])) : "notitle";
        plots += text(
            "{}{} using 1:2:3:4:5:6 with boxxyerror {} lc rgb '{}' {}", plots.empty() ? "plot " : ", \\\n     ", name,
            is_predicted ? "fs empty border" : "fs solid 1 noborder", palette[i / 2 % color_count].hex, title);
    }
    std::string whiskers;
    for (const Box& box : figure.boxes) {
        const bool has_whisker = !std::isnan(box.low) && !std::isnan(box.high);
        if (has_whisker) whiskers += text("{} {} {} {}\n", number(box.end), box.row, number(box.low), number(box.high));
        if (!box.label.empty())
            script += text("set label {} at {},{} left offset 0.8,0 noenhanced\n", in_quotes(box.label),
                           number(has_whisker ? std::max(box.end, box.high) : box.end), box.row);
    }
    if (!whiskers.empty()) {
        script += "$whiskers << END\n" + whiskers + "END\n";
        plots += ", \\\n     $whiskers using 1:2:3:4 with xerrorbars pt 0 lc rgb '#222222' notitle";
    }
    return script + plots + "\n";
}

std::string read_whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream whole;
    whole << file.rdbuf();
    return whole.str();
}

}  // namespace

std::string gnuplot_script_of(const Figure& figure) {
    const std::string below = figure.below_title();
    const std::string title =
        below.empty() ? in_quotes(figure.title) : in_quotes(figure.title) + ".\"\\n\"." + in_quotes(below);
    const std::string script =
        "set title " + title +
        " noenhanced\nset key outside right top maxcols 1 Left reverse samplen 2 noenhanced\nset grid\n"
        "set tics nomirror\nset border 3\n" +
        (figure.has_rows() ? script_of_rows(figure) : script_of_series(figure));
    const bool is_ascii = std::all_of(script.begin(), script.end(), [](unsigned char c) { return c < 0x80; });
    // (In other locales, gnuplot warns about the encoding.)
    return std::string("# For gnuplot 5.\n") + (is_ascii ? "" : "set encoding utf8\n") + script;
}

std::string picture_of(const Figure& figure, const std::string& terminal, const std::optional<Size>& size) {
    const TemporaryFolder folder("plot");
    const std::string picture = folder.file("picture"), log = folder.file("log");
    const double height = figure.has_rows() ? 130 + 22 * static_cast<double>(figure.rows.size())
                                            : std::max(480.0, 100 + 17 * static_cast<double>(figure.series.size()));
    double across = size ? static_cast<double>(size->width) : 860,
           down = size ? static_cast<double>(size->height) : height;
    const bool in_inches = terminal == "pdfcairo";
    if (in_inches) across /= 96, down /= 96;
    const std::string script =
        folder.write("script", text("set terminal {} size {},{} font 'sans,{}'\nset output {}\n", terminal, across,
                                    down, in_inches ? 9 : 10, in_quotes(picture)) +
                                   gnuplot_script_of(figure) + "set output\n");
    ProgramStart how;
    how.log = log;
    const pid_t process = start_program({"gnuplot", script}, how);
    if (process == 0)
        fail(Exit::output_error,
             "cannot start gnuplot, which draws png and pdf: {}; install gnuplot-nox, or write .svg",
             std::strerror(errno));
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    const std::string drawn = read_whole(picture);
    if (shell_status(status) != 0 || drawn.empty()) {
        std::string words = read_whole(log);
        for (char& c : words)
            if (c == '\n') c = ' ';
        fail(Exit::output_error, "gnuplot, which draws png and pdf, failed: {}; write .svg, which is drawn without it",
             printable(words, 300));
    }
    return drawn;
}

}  // namespace plot
