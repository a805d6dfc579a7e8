// SPDX-License-Identifier: MIT
// plot: draws tables, of these programs or any others, in the terminal or as a picture.
//
// In come tables (data). What the options leave open is chosen from what is in them (choice); a function for each kind
// makes a figure (figures, distributions), on axes (axis). Out it goes in a medium: terminal, svg, html or gnuplot.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/host_program.hpp"
#include "common/io/output.hpp"
#include "common/io/progress.hpp"
#include "common/io/terminal.hpp"
#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"
#include "tools/plot/gnuplot.hpp"
#include "tools/plot/html.hpp"
#include "tools/plot/svg.hpp"
#include "tools/plot/terminal.hpp"

namespace plot {
namespace {

enum class Medium { characters, svg, html, png, pdf, script };

Medium medium_of(const std::string& path, const Settings& settings) {
    if (settings.gnuplot) return Medium::script;
    static const std::map<std::string, Medium> known = {{"", Medium::characters}, {".txt", Medium::characters},
                                                        {".svg", Medium::svg},    {".html", Medium::html},
                                                        {".png", Medium::png},    {".pdf", Medium::pdf}};
    const auto found = known.find(std::filesystem::path(path).extension());
    if (found != known.end()) return found->second;
    if (path.compare(0, 5, "/dev/") == 0) return Medium::characters;  // a device or a pipe
    fail(Exit::usage, "cannot draw '{}': its name has to end in .svg, .html, .png or .pdf, or in .txt for characters",
         path);
}

// Refuses options that only apply to another medium.
void refuse_ignored(Medium medium, const Settings& settings) {
    if (medium != Medium::characters && settings.made_of != Characters::automatic)
        fail(Exit::usage, "--characters is for drawings in the terminal, and this is {}: leave it out",
             medium == Medium::script ? "a script" : "a picture");
    if (medium == Medium::script && settings.size)
        fail(Exit::usage, "--size is for drawings, and a script has none: leave it out, or set it in gnuplot");
}

Data data_of(Session& session, const Settings& settings) {
    std::vector<std::string> paths = session.options.operands;
    if (paths.empty()) paths = {"-"};
    std::vector<DataTable> tables;
    const Lists lists = is_of_samples(settings.kind) ? Lists::keep : Lists::skip;
    for (const std::string& path : paths) {
        StepCount& count = session.begin_step("reading " + input_name(path), StepUnit::bytes);
        tables.push_back(read_table(path, lists, &count));
    }
    session.end_step();
    return Data(std::move(tables));
}

bool is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* value = std::getenv(name); value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    return false;
}

Screen screen_of(const Session& session, const Settings& settings) {
    Characters made_of = settings.made_of;
    if (made_of == Characters::automatic)
        made_of = is_dumb_terminal() || !is_utf8() ? Characters::ascii : Characters::braille;
    return {made_of, use_color(session.options.color, session.output.is_terminal())};
}

std::string characters_of(const Session& session, const Settings& settings, const Figure& figure) {
    const std::size_t width = line_width(STDOUT_FILENO), height = line_count(STDOUT_FILENO);
    // (The last line is for the prompt.)
    const Size whole = {width == no_limit ? 80 : width, height == no_limit ? 24 : height - 1};
    return drawn(figure, settings.size.value_or(whole), screen_of(session, settings));
}

std::string picture_in(Medium medium, const Session& session, const Settings& settings, const Figure& figure) {
    switch (medium) {
        case Medium::svg: return svg_of(figure, settings.size);
        case Medium::html: return html_of(figure, settings.size);
        case Medium::png: return picture_of(figure, "pngcairo", settings.size);
        case Medium::pdf: return picture_of(figure, "pdfcairo", settings.size);
        case Medium::script: return gnuplot_script_of(figure);
        default: return characters_of(session, settings, figure);
    }
}

void run(Session& session) {
    const Settings& settings = session.own<Settings>();
    const Medium medium = medium_of(session.options.output_path, settings);
    refuse_ignored(medium, settings);
    settings.refuse_ignored(settings.kind);
    Data data = data_of(session, settings);
    if (wants_predictions(data, settings))
        if (const std::size_t rows = data.show_predictions(); rows > 0)
            session.notice(text("{} {} left out: of a simulated table, only what it predicts for a GPU is drawn", rows,
                                rows == 1 ? "row is" : "rows are"));
    if (!settings.where.empty()) data.keep(settings.where);
    Choices chosen = choose(data, settings);
    settings.refuse_ignored(chosen.kind);
    chosen.hovers = medium == Medium::svg || medium == Medium::html;
    const Figure figure = figure_of(data, chosen, settings);
    if (figure.left_out > 0)
        session.notice(text("{} of {} rows {} no {}", figure.left_out, data.rows().size(),
                            figure.left_out == 1 ? "is left out: it has" : "are left out: they have", figure.lacking));
    session.output.write(picture_in(medium, session, settings, figure));
}

const Program program = [] {
    Program program{"plot",
                    "Draws a table: sweeps as lines, ladders as bars, samples as histograms or violins.",
                    "[FILE]...",
                    {"reduce -n 1Ki:16Ki:x4 | plot", "reduce --ladder -n 4Ki | plot -o ladder.svg"},
                    1000};
    program.has_kernels = program.prints_table = program.benchmark = false;
    program.options = own_options<Settings>;
    return program;
}();

}  // namespace
}  // namespace plot

int main(int argc, char** argv) { return run_host_program(plot::program, plot::run, argc, argv); }
