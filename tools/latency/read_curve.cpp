// SPDX-License-Identifier: MIT
#include "tools/latency/read_curve.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/io/number_reader.hpp"
#include "common/io/number_writer.hpp"
#include "common/io/table.hpp"
#include "tools/latency/options.hpp"
#include "tools/latency/plateau.hpp"

namespace {

// Pairs of a working set in bytes and cycles.
LatencyCurve read_curve(const std::string& path, StepCount& count) {
    const std::string input = input_name(path);
    const auto reader = in_row_order(NumberReader::open(path, {}, &count));
    constexpr std::size_t most = std::size_t{1} << 20;
    const Chunk numbers = reader->read(2 * most).converted_to(DType::f64);
    if (numbers.count == 2 * most) fail(Exit::bad_input, "{} has more than {} points", input, most);
    if (numbers.count % 2 != 0)
        fail(Exit::bad_input, "{} has {} numbers: a curve is pairs of bytes and cycles", input, numbers.count);
    LatencyCurve curve;
    for (std::size_t i = 0; i < numbers.count; i += 2) {
        const CurvePoint point{numbers.as<double>()[i], numbers.as<double>()[i + 1], 0};
        if (!(point.bytes > 0 && point.cycles > 0 && point.bytes < 1e18 && point.cycles < 1e18))
            fail(Exit::bad_input, "{}: point {} is {} {}: bytes and cycles are positive", input, i / 2 + 1,
                 number_text(point.bytes), number_text(point.cycles));
        curve.push_back(point);
    }
    std::stable_sort(curve.begin(), curve.end(),
                     [](const CurvePoint& a, const CurvePoint& b) { return a.bytes < b.bytes; });
    return curve;
}

// A plateau of a curve, as a row.
struct PlateauRow {
    std::size_t number;
    double first_bytes, last_bytes;
    std::size_t points;
    double cycles;
};

const ColumnOf<PlateauRow> plateau_columns[] = {
    {{"plateau", "plateau"}, [](const PlateauRow& of) -> Cell { return whole(of.number); }},
    {{"first_bytes", "from KiB", 1.0 / 1024, 1},
     [](const PlateauRow& of) -> Cell {
         return Fixed{of.first_bytes, 0};
     }},
    {{"last_bytes", "to KiB", 1.0 / 1024, 1},
     [](const PlateauRow& of) -> Cell {
         return Fixed{of.last_bytes, 0};
     }},
    {{"points", "points"}, [](const PlateauRow& of) -> Cell { return whole(of.points); }},
    {{"cycles", "cycles", 1, 1},
     [](const PlateauRow& of) -> Cell {
         return Fixed{of.cycles, 1};
     }},
};

}  // namespace

void print_plateaus(Session& session) {
    const std::string& path = session.own<LatencyOptions>().curve;
    const char* ignored = !session.options.kernels.empty()                     ? "--kernel"
                          : session.options.sizes.given                        ? "--size"
                          : session.own<LatencyOptions>().sweep                ? "--sweep"
                          : !session.own<LatencyOptions>().parallelism.empty() ? "--parallelism"
                          : !session.options.versus.empty()                    ? "--versus"
                          : session.options.profile                            ? "--profile"
                                                                               : nullptr;
    if (ignored) fail(Exit::usage, "--curve measures nothing, so that {} means nothing; leave it out", ignored);
    StepCount& count = session.begin_step("reading " + input_name(path), StepUnit::bytes);
    const LatencyCurve curve = read_curve(path, count);
    session.end_step();
    Table table(session.output, session.format(), session.options.header, columns_of(plateau_columns));
    const std::vector<Plateau> plateaus = find_plateaus(curve);
    for (std::size_t i = 0; i < plateaus.size(); ++i) {
        const Plateau& plateau = plateaus[i];
        table.add(
            cells_of(plateau_columns, PlateauRow{i + 1, curve[plateau.begin].bytes, curve[plateau.end - 1].bytes,
                                                 plateau.size(), plateau_median(curve, plateau, &CurvePoint::cycles)}));
    }
    table.flush();
    if (plateaus.empty()) session.notice(text("no plateau in {} points", curve.size()));
}
