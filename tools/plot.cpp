// plot: draws the tables of these programs, or of any, in the terminal or as a picture.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/cli/host_program.hpp"
#include "common/io/output.hpp"
#include "common/io/progress.hpp"
#include "common/io/terminal.hpp"
#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"
#include "tools/plot/svg.hpp"
#include "tools/plot/terminal.hpp"

namespace plot {
namespace {

enum class Medium { terminal, svg };

Medium medium_of(const std::string& path) {
    const std::string suffix = std::filesystem::path(path).extension();
    if (suffix == ".svg") return Medium::svg;
    const std::string_view known[] = {"", ".txt"};
    // (Devices and pipes have any name.)
    if (std::find(std::begin(known), std::end(known), suffix) == std::end(known) && path.compare(0, 5, "/dev/") != 0)
        fail(Exit::usage, "cannot draw '{}': its name has to end in .svg, or in .txt for characters", path);
    return Medium::terminal;
}

Data data_of(Session& session, const Settings& settings) {
    std::vector<std::string> paths = session.options.operands;
    if (paths.empty()) paths = {"-"};
    std::vector<DataTable> tables;
    const Lists lists = settings.kind == Kind::histogram ? Lists::keep : Lists::skip;
    for (const std::string& path : paths) {
        StepCount& count = session.begin_step("reading " + (path == "-" ? "standard input" : path), StepUnit::bytes);
        tables.push_back(read_table(path, lists, &count));
    }
    session.end_step();
    return Data(std::move(tables));
}

bool is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* value = std::getenv(name); value && *value)
            return std::strstr(value, "UTF-8") || std::strstr(value, "utf8");
    return false;
}

Screen screen_of(const Session& session, const Settings& settings) {
    Characters made_of = settings.made_of;
    if (made_of == Characters::automatic)
        made_of = is_dumb_terminal() || !is_utf8() ? Characters::ascii : Characters::braille;
    const char* no_color = std::getenv("NO_COLOR");
    const bool may_color = session.output.is_terminal() && !(no_color && *no_color) && !is_dumb_terminal();
    const When color = session.options.color;
    return {made_of, color == When::always || (color == When::automatic && may_color)};
}

void run(Session& session) {
    const Settings& settings = session.own<Settings>();
    const Medium medium = medium_of(session.options.output_path);
    Data data = data_of(session, settings);
    if (!settings.where.empty()) data.keep(settings.where);
    const Choices chosen = choose(data, settings);
    const Figure figure = figure_of(data, chosen, settings);
    if (medium == Medium::svg) return session.output.write(svg_of(figure, settings.size));
    const Size whole = {line_width(STDOUT_FILENO), line_count(STDOUT_FILENO)};
    const Size size = settings.size.value_or(
        Size{whole.width == no_limit ? 80 : whole.width, whole.height == no_limit ? 24 : whole.height - 1});
    session.output.write(drawn(figure, size, screen_of(session, settings)));
}

const Program program = [] {
    Program program{"plot", "Draws a table: sweeps as lines, ladders as bars, samples as a histogram.", "[FILE]...",
                    1000};
    program.has_kernels = program.prints_table = program.benchmark = false;
    program.options = own_options<Settings>;
    return program;
}();

}  // namespace
}  // namespace plot

int main(int argc, char** argv) { return run_host_program(plot::program, plot::run, argc, argv); }
