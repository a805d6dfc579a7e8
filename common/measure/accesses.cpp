// SPDX-License-Identifier: MIT
#include "common/measure/accesses.hpp"

#include <algorithm>
#include <optional>

#include "common/io/text.hpp"

namespace {

using simt::check::LaneAction;

// An element that a thread has read or written.
struct ElementAccess {
    std::uint32_t lane, epoch;
    bool writes;
    const NamedArray* array;
    std::size_t index;

    std::size_t row() const { return array->columns == 0 ? 0 : index / array->columns; }
    std::size_t column() const { return array->columns == 0 ? index : index % array->columns; }
    std::string place() const { return array->columns == 0 ? text("{}", index) : text("{},{}", row(), column()); }
};

// Those of a block, in the order in which they happened. The shared array begins at the lowest address that is used.
class ElementAccesses {
public:
    ElementAccesses(const AccessedLaunch& launch, const simt::check::TracedBlock& block) : shared_{"shared", 0, 0, 0} {
        shared_.address = UINT64_MAX;
        for (const LaneAction& action : block.actions)
            if (action.is_shared) shared_.address = std::min(shared_.address, action.address);
        for (const LaneAction& action : block.actions) {
            if (action.kind == LaneAction::Kind::shuffle) {
                all_.push_back({action.lane, action.epoch, false, &lanes_, action.source});
                continue;
            }
            const NamedArray* array = action.is_shared ? &shared_ : array_at(launch, action.address);
            if (!array) continue;
            const std::size_t first = (action.address - array->address) / launch.element_bytes;
            for (std::size_t i = 0; i < action.bytes / launch.element_bytes; ++i)
                all_.push_back({action.lane, action.epoch, action.kind != LaneAction::Kind::load, array, first + i});
        }
    }

    const std::vector<ElementAccess>& all() const { return all_; }

private:
    static const NamedArray* array_at(const AccessedLaunch& launch, std::uint64_t address) {
        for (const NamedArray& array : launch.arrays)
            if (address - array.address < array.elements * launch.element_bytes) return &array;
        return nullptr;
    }

    const NamedArray lanes_{"lane", 0, 0, 0};  // whose values shuffles read
    NamedArray shared_;
    std::vector<ElementAccess> all_;
};

}  // namespace

std::vector<Column> access_columns() {
    return {{"kernel"}, {"block"}, {"thread"}, {"x"},   {"y"},     {"step"},
            {"access"}, {"array"}, {"index"},  {"row"}, {"column"}};
}

void add_access_rows(const AccessedLaunch& launch, const simt::check::TracedBlock& block, Table& table) {
    const ElementAccesses accesses(launch, block);
    for (const ElementAccess& one : accesses.all())
        table.add({launch.kernel, whole(block.index), whole(one.lane), whole(one.lane % launch.block_width),
                   whole(one.lane / launch.block_width), whole(one.epoch), one.writes ? "write" : "read",
                   one.array->name, whole(one.index), whole(one.row()), whole(one.column())});
}

void draw_accesses(const AccessedLaunch& launch, const simt::check::TracedBlock& block, Output& output) {
    const ElementAccesses accesses(launch, block);
    std::vector<std::string> lines(block.lanes);
    std::vector<std::optional<ElementAccess>> last(block.lanes), begin(block.lanes);
    const auto end_range = [&](std::uint32_t lane) {
        if (last[lane] && last[lane]->index != begin[lane]->index) lines[lane] += ".." + last[lane]->place();
        if (last[lane]) lines[lane] += "]";
    };
    for (const ElementAccess& one : accesses.all()) {
        std::optional<ElementAccess>& before = last[one.lane];
        const bool waits = before && before->epoch != one.epoch && one.array->name != "lane";
        const bool goes_on = before && before->array == one.array && before->writes == one.writes && !waits &&
                             one.index == before->index + 1 && one.row() == before->row();
        if (!goes_on) {
            end_range(one.lane);
            std::string& line = lines[one.lane];
            if (before) line += waits ? " | " : one.writes ? " " : ", ";
            line += (one.writes ? "-> " : "") + one.array->name + "[" + one.place();
            begin[one.lane] = one;
        }
        before = one;
    }
    output.write(text("{}, block {}: {} threads, {} of them at work\n\n", launch.kernel, block.index, block.lanes,
                      std::count_if(last.begin(), last.end(), [](const auto& one) { return one.has_value(); })));
    for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
        if (!last[lane]) continue;
        end_range(lane);
        output.write(text("thread {},{}  {}\n", lane % launch.block_width, lane / launch.block_width, lines[lane]));
    }
}
