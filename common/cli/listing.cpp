// SPDX-License-Identifier: MIT
#include "common/cli/listing.hpp"

#include <functional>
#include <set>
#include <string>

#include "common/cli/session.hpp"
#include "common/io/table.hpp"
#include "common/measure/lectures.hpp"
#include "common/measure/variant.hpp"

static const char* needs_text(Needs needs) {
    switch (needs) {
        case Needs::gpu: return "gpu";
        case Needs::host: return "host";
        default: return "any";
    }
}

void list_variants(const Session& session) {
    const auto lecture_names = [&](const Variant& of) -> Cell {
        return session.program.lectures ? lecture_names_of(*session.program.lectures, of.name) : "";
    };
    const auto idea_and_names = [&](const Variant& of) -> Cell {
        const std::string names = text_of(lecture_names(of));
        return of.idea + (names == "none" ? "" : " [" + names + "]");
    };
    const ColumnOf<Variant, std::function<Cell(const Variant&)>> columns[] = {
        {{"kernel", "kernel"}, [](const Variant& of) { return of.name; }},
        {{"needs", "needs", 1, 0, 0, 1}, [](const Variant& of) { return needs_text(of.needs); }},
        {{"ladder", "ladder", 1, 0, 0, 2}, [](const Variant& of) { return of.ladder; }},
        {{"lectures"}, lecture_names},
        {{"idea"}, [](const Variant& of) { return of.idea; }},
        {{"", "idea"}, idea_and_names},
    };
    Table table(session.output, session.format(), session.options.header, columns_of(columns), session.options.columns);
    for (const Variant* variant : session.wanted()) table.add(cells_of(columns, *variant));
    table.flush();
}

void list_published(const Session& session) {
    struct Published {
        const LectureRow& row;
        const PublishedFigure& figure;
    };
    const std::string program = session.program.name;
    const ColumnOf<Published, std::function<Cell(const Published&)>> columns[] = {
        {{"tool"}, [&](const Published&) { return program; }},
        {{"published_by", "by"}, [](const Published& of) { return of.row.ladder; }},
        {{"published_name", "name"}, [](const Published& of) { return of.row.name; }},
        {{"published_gpu", "on"}, [](const Published& of) { return of.row.gpu; }},
        {{"kernel", "kernel"}, [](const Published& of) { return of.row.variant; }},
        {{"where", "where"}, [](const Published& of) { return of.row.where; }},
        {{"published_n"}, [](const Published& of) { return whole_if_any(static_cast<long long>(of.row.n)); }},
        {{"metric", "metric"}, [](const Published& of) { return of.figure.metric; }},
        {{"value", "value", 1, as_in_csv}, [](const Published& of) { return of.figure.fixed(); }},
    };
    Table table(session.output, session.format(), session.options.header, columns_of(columns), session.options.columns);
    std::set<std::string> wanted;
    for (const Variant* variant : session.wanted()) wanted.insert(variant->name);
    for (const LectureRow& row : *session.program.lectures)
        if (is_of_source(row, *session.options.published) && wanted.count(row.variant) > 0)
            for (const PublishedFigure& figure : row.figures) table.add(cells_of(columns, Published{row, figure}));
    table.flush();
}
