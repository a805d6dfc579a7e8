// SPDX-License-Identifier: MIT
// Tables of anybody, and what plot makes of them.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/table_reader.hpp"
#include "common/io/text.hpp"
#include "tests/fuzz/target.hpp"
#include "tools/plot/figures.hpp"
#include "tools/plot/gnuplot.hpp"
#include "tools/plot/svg.hpp"
#include "tools/plot/terminal.hpp"
#include "tools/plot/words.hpp"

namespace {

DataTable read(std::string_view bytes) {
    const int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    if (write(descriptor, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) broken("memory is enough");
    const std::string name = "/proc/self/fd/" + std::to_string(descriptor);
    try {
        DataTable table = read_table(name);
        close(descriptor);
        return table;
    } catch (const Failure& failure) {
        close(descriptor);
        const std::string message = failure.what();
        if (failure.exit() != Exit::bad_input) broken("a table that cannot be read is bad input", message);
        if (message.rfind(name + ": ", 0) != 0) broken("a failure names the input", message);
        expect_presentable(message);
        throw;
    }
}

void expect_whole(const DataTable& table) {
    for (const TableColumn& column : table.columns) {
        if (column.rows() != table.rows()) broken("every column has a cell in every row", column.name());
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const bool is_number = column.number(row) == column.number(row);
            if (is_number && column.word(row).empty()) broken("a number has a text");
            if (column.is_empty(row) && (is_number || !column.word(row).empty())) broken("an empty cell says nothing");
            if (row > 0 && column.key(row) == column.key(row - 1) && column.word(row) != column.word(row - 1))
                broken("cells of one key say the same");
        }
    }
}

// The width of each line of a drawing, and its bytes.
void expect_fits(const std::string& drawing, std::size_t width) {
    for (const std::string& line : split(drawing, '\n')) {
        if (plot::width_of(line) > width) broken("a drawing is as wide as it may be", line);
        if (plot::clean(line) != line) broken("a drawing has no control characters", line);
    }
}

void expect_numbers(const std::string& svg) {
    for (const char* place : {" x=\"", " y=\"", "width=\"", "height=\"", "cx=\"", "cy=\"", " d=\"M", " L"})
        for (const char* wrong : {"nan", "-nan", "inf", "-inf"})
            if (svg.find(std::string(place) + wrong) != svg.npos) broken("a picture's coordinates are numbers", place);
}

}  // namespace

// The first byte says which kind is drawn.
void fuzz_tables(std::string_view input) {
    if (input.empty()) return;
    plot::Settings settings;
    settings.kind = static_cast<plot::Kind>(static_cast<unsigned char>(input[0]) % 6);
    settings.log = static_cast<plot::LogAxes>(static_cast<unsigned char>(input[0]) / 6 % 5);
    try {
        DataTable table = read(input.substr(1));
        expect_whole(table);
        std::vector<DataTable> tables;
        tables.push_back(std::move(table));
        const plot::Data data(std::move(tables));
        const plot::Figure figure = figure_of(data, choose(data, settings), settings);
        expect_fits(plot::drawn(figure, {70, 20}, {plot::Characters::braille, false}), 70);
        expect_fits(plot::drawn(figure, {40, 12}, {plot::Characters::ascii, false}), 40);
        expect_numbers(plot::svg_of(figure, {}));
        if (plot::gnuplot_script_of(figure).empty()) broken("there is a script");
    } catch (const Failure& failure) {
        expect_presentable(failure.what());
    }
}
