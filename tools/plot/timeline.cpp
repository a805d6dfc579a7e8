// SPDX-License-Identifier: MIT
// Timelines: a row for each lane, a box for each span of it. A trace of streams or threads has the columns timeline,
// lane, name, category, begin_ns and end_ns; any table with lane, begin_ns and end_ns will do.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"

namespace plot {

Figure timeline_of(const Data& data, const Settings& settings) {
    Figure figure;
    figure.kind = "timeline";
    figure.lacking = "span, from begin_ns to an end_ns that is no smaller";
    const Field lane = data.needed("lane"), begin = data.needed("begin_ns"), end = data.needed("end_ns");
    const Field timeline = data.field("timeline"), category = data.field("category"), name = data.field("name");
    std::vector<Field> by;
    if (data.is_of_files()) by.push_back(data.field("file"));
    if (timeline.exists() && data.varies(timeline)) by.push_back(timeline);
    by.push_back(lane);
    constexpr std::size_t most_lanes = 200, most_boxes = 20000;
    // Each timeline begins at its own first span.
    std::map<std::string, double> first;
    const auto is_span = [&](RowOf row) {
        const double from = begin.number(row), to = end.number(row);
        return has_place(from, false) && has_place(to, false) && to >= from;
    };
    const auto timeline_of_row = [&](RowOf row) { return text("{} {}", row.table, timeline.word(row)); };
    for (const RowOf row : data.rows()) {
        if (!is_span(row)) continue;
        const auto [place, is_new] = first.try_emplace(timeline_of_row(row), begin.number(row));
        if (!is_new) place->second = std::min(place->second, begin.number(row));
    }
    figure.x.quantity = quantity_of("begin_ns");
    std::map<std::string, std::size_t> categories;
    std::string heading;
    constexpr std::size_t most_groups = 100000;
    std::vector<Group> groups = groups_of(data, by, most_groups, "lanes");
    for (Group& lane_rows : groups) {
        const std::size_t all = lane_rows.rows.size();
        std::erase_if(lane_rows.rows, [&](RowOf row) { return !is_span(row); });
        figure.left_out += all - lane_rows.rows.size();
    }
    std::erase_if(groups, [](const Group& lane_rows) { return lane_rows.rows.empty(); });
    if (groups.size() > most_lanes) {
        figure.subtitle = text("{} of {} lanes; choose others with --where", most_lanes, groups.size());
        groups.erase(groups.begin() + most_lanes, groups.end());
    }
    for (const Group& group : groups) {
        std::string above;  // "file: timeline"
        for (std::size_t i = 0; i + 1 < group.words.size(); ++i) above += (i > 0 ? ": " : "") + group.words[i];
        if (above != heading) figure.headings.insert(figure.rows.size()), figure.rows.push_back(above);
        heading = above;
        for (const RowOf row : group.rows) {
            const auto [place, is_new] = categories.try_emplace(category.word(row), categories.size());
            if (is_new) figure.colors.push_back(category.word(row));
            const double from = first[timeline_of_row(row)];
            Box box{figure.rows.size(), begin.number(row) - from, end.number(row) - from};
            box.set_category(place->second);
            box.hover = text("{}\n{} from {}", name.word(row), shown(box.end - box.begin, figure.x.quantity),
                             shown(box.begin, figure.x.quantity));
            if (!settings.annotate.empty()) box.label = note_of(data, settings.annotate, row);
            figure.x.include(box.begin), figure.x.include(box.end);
            figure.boxes.push_back(std::move(box));
        }
        figure.rows.push_back(group.words.back());
    }
    if (figure.boxes.empty())
        fail(Exit::bad_input, "no row has a span: numbers in begin_ns and end_ns, the second no smaller");
    if (figure.boxes.size() > most_boxes)
        fail(Exit::bad_input, "{} spans are too many for a picture, at most {}: choose some with --where",
             figure.boxes.size(), most_boxes);
    if (!category.exists()) figure.colors.clear();
    figure.x.label = "time";
    figure.x.finish(true, 0.01);
    figure.title = timeline.exists() && !data.varies(timeline) ? timeline.word(data.rows().front()) : "timeline";
    return figure;
}

}  // namespace plot
