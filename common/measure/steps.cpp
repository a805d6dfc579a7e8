// SPDX-License-Identifier: MIT
#include "common/measure/steps.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

#include "common/io/number_writer.hpp"
#include "common/io/terminal.hpp"
#include "common/io/text.hpp"

namespace {

using simt::check::LaneAction;
using StepKind = CombiningStep::Kind;

// Calls action with the element whose bits these are.
template <typename Action>
auto with_element(DType dtype, std::uint64_t bits, Action action) {
    const auto of = [&](auto element) {
        std::memcpy(&element, &bits, sizeof element);
        return action(element);
    };
    switch (dtype) {
        case DType::f32: return of(float());
        case DType::f64: return of(double());
        case DType::i32: return of(std::int32_t());
        default: return of(std::int64_t());
    }
}

// Where a step is among the others: those between two barriers are in the order in which a thread makes them.
struct StepPlace {
    std::uint32_t epoch;
    enum class Part { stores, registers, shuffle, atomics } part;
    std::size_t number;
    bool operator<(const StepPlace& other) const {
        return std::tie(epoch, part, number) < std::tie(other.epoch, other.part, other.number);
    }
};

struct ArrayLoad {
    bool is_shared;
    std::size_t index;
    std::uint64_t value;
    std::uint32_t epoch;
};

// What is known of a thread while its actions are followed.
struct FollowedThread {
    std::optional<std::uint64_t> value;  // the last one that it stored, gave or got
    std::optional<std::size_t> cell;     // where it stored it
    std::vector<ArrayLoad> loads;        // from the array, since then
    std::vector<std::size_t> inputs;     // the elements of the input that it has loaded since then
    std::uint32_t stores_epoch = 0;
    std::size_t stores = 0;  // in this epoch
};

class Follower {
public:
    Follower(const SteppedLaunch& launch, const simt::check::TracedBlock& block)
        : launch_(launch), bytes_(size_of(launch.dtype)), block_(block), threads_(block.lanes) {
        for (const LaneAction& action : block.actions) {
            if (action.kind == LaneAction::Kind::shuffle) given_[{action.lane, action.epoch}] = action.value;
            if (action.is_shared && action.bytes == bytes_) shared_begin_ = std::min(shared_begin_, action.address);
        }
    }

    std::vector<CombiningStep> steps() {
        for (std::size_t i = 0; i < block_.actions.size(); ++i) {
            const LaneAction& action = block_.actions[i];
            switch (action.kind) {
                case LaneAction::Kind::load: load(action); break;
                case LaneAction::Kind::store: store(action); break;
                case LaneAction::Kind::atomic:
                    if (!is_tried_again(i)) atomic(action);
                    break;
                case LaneAction::Kind::shuffle: shuffle(action); break;
            }
        }
        for (std::uint32_t lane = 0; lane < block_.lanes; ++lane) combine_loads(lane);
        return in_order();
    }

private:
    // An element of the array in which values are combined, if that is where the access is.
    std::optional<std::size_t> cell_of(const LaneAction& action) const {
        if (action.bytes != bytes_) return std::nullopt;
        if (action.is_shared) return (action.address - shared_begin_) / bytes_;
        return launch_.in_place ? element_of(action) : std::nullopt;
    }
    std::optional<std::size_t> element_of(const LaneAction& action) const {
        const std::uint64_t offset = action.address - launch_.input_address;
        if (action.is_shared || offset >= launch_.input.size() * bytes_) return std::nullopt;
        return offset / bytes_;
    }

    void load(const LaneAction& action) {
        FollowedThread& thread = threads_[action.lane];
        if (const auto cell = cell_of(action))
            thread.loads.push_back({action.is_shared, *cell, action.value, action.epoch});
        else if (const auto element = element_of(action))
            for (std::size_t i = 0; i < action.bytes / bytes_; ++i) thread.inputs.push_back(*element + i);
    }

    void store(const LaneAction& action) {
        FollowedThread& thread = threads_[action.lane];
        const auto cell = cell_of(action);
        if (!cell) {
            if (!action.is_shared && action.address == launch_.result_address && action.bytes == bytes_)
                combine_loads(action.lane);
            return;
        }
        if (std::exchange(thread.stores_epoch, action.epoch) != action.epoch) thread.stores = 0;
        const StepPlace place{action.epoch, StepPlace::Part::stores, thread.stores++};
        ThreadStep step{action.lane, *cell, action.before, action.value, partners_of(thread, *cell), "register"};
        const bool is_first = !thread.value && step.partners.empty() && thread.inputs.size() < 2;
        if (!step.partners.empty()) step.from = action.is_shared ? "shared" : "global";
        else if (!thread.inputs.empty()) {
            step.partners.assign(thread.inputs.begin() + 1, thread.inputs.end());
            step.from = "input";
        } else if (is_first) step.from = "start";
        keep(thread, action.value, *cell);
        if (is_first) start_.push_back(step), start_is_memory_ = true;
        else add(place, StepKind::memory, step);
    }

    void shuffle(const LaneAction& action) {
        FollowedThread& thread = threads_[action.lane];
        if (!thread.value || *thread.value != action.value) {
            ThreadStep step{action.lane, action.lane, thread.value.value_or(0), action.value, {}, "register"};
            const bool is_first = !thread.value;
            if (!thread.loads.empty()) {
                for (const ArrayLoad& one : thread.loads) step.partners.push_back(one.index);
                step.from = thread.loads.front().is_shared ? "shared" : "global";
            } else if (is_first) step.from = thread.inputs.empty() ? "start" : "input";
            if (is_first && thread.inputs.size() > 1)
                step.partners.assign(thread.inputs.begin() + 1, thread.inputs.end());
            if (is_first && step.partners.empty()) start_.push_back(step);
            else add({action.epoch, StepPlace::Part::registers, 0}, StepKind::registers, step);
        }
        const auto source = given_.find({action.source, action.epoch});
        const std::uint64_t received = source == given_.end() ? action.value : source->second;
        const std::uint64_t value = launch_.combine(action.value, received);
        add({action.epoch, StepPlace::Part::shuffle, 0}, StepKind::registers,
            {action.lane, action.lane, action.value, value, {action.source}, "shuffle"});
        keep(thread, value, thread.cell);
    }

    // Whether it is a compare-and-swap that has failed: it changes nothing, and the thread makes another at once.
    bool is_tried_again(std::size_t i) const {
        const LaneAction& one = block_.actions[i];
        const auto next = std::find_if(block_.actions.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       block_.actions.end(), [&](const auto& other) { return other.lane == one.lane; });
        return one.before == one.value && next != block_.actions.end() && next->kind == LaneAction::Kind::atomic &&
               next->address == one.address;
    }

    void atomic(const LaneAction& action) {
        if (action.bytes != bytes_) return;
        const bool is_result = !action.is_shared && action.address == launch_.result_address;
        if (!is_result && !action.is_shared) return;
        combine_loads(action.lane);
        add({action.epoch, StepPlace::Part::atomics, ++atomics_}, StepKind::atomic,
            {action.lane, 0, action.before, action.value, {}, "atomic"});
    }

    // A thread that has loaded another's value and stores nothing has combined the two in a register.
    void combine_loads(std::uint32_t lane) {
        FollowedThread& thread = threads_[lane];
        const std::vector<ArrayLoad> loads = std::exchange(thread.loads, {});
        if (!thread.value) return;
        for (const ArrayLoad& one : loads) {
            if (one.index == thread.cell) continue;
            const std::uint64_t value = launch_.combine(*thread.value, one.value);
            add({one.epoch, StepPlace::Part::registers, 0}, StepKind::registers,
                {lane, lane, *thread.value, value, {one.index}, one.is_shared ? "shared" : "global"});
            thread.value = value;
        }
    }

    static std::vector<std::size_t> partners_of(const FollowedThread& thread, std::size_t own) {
        std::vector<std::size_t> partners;
        for (const ArrayLoad& one : thread.loads)
            if (one.index != own && std::find(partners.begin(), partners.end(), one.index) == partners.end())
                partners.push_back(one.index);
        return partners;
    }

    static void keep(FollowedThread& thread, std::uint64_t value, std::optional<std::size_t> cell) {
        thread.value = value, thread.cell = cell;
        thread.loads.clear(), thread.inputs.clear();
    }

    void add(const StepPlace& place, StepKind kind, const ThreadStep& step) {
        CombiningStep& at = places_[place];
        at.kind = kind;
        at.threads.push_back(step);
    }

    static void put(std::vector<std::optional<std::uint64_t>>& cells, std::size_t index, std::uint64_t value) {
        if (cells.size() <= index) cells.resize(index + 1);
        cells[index] = value;
    }

    // Fills in what all cells hold after each step.
    std::vector<CombiningStep> in_order() {
        std::vector<CombiningStep> steps;
        std::vector<std::optional<std::uint64_t>> array, registers;
        if (launch_.in_place)
            for (std::size_t i = 0; i < launch_.input.size(); ++i) {
                put(array, i, launch_.input[i]);
                if (i < block_.lanes) start_.push_back({unsigned(i), i, 0, launch_.input[i], {}, "input"});
            }
        for (const ThreadStep& one : start_)
            put(start_is_memory_ || launch_.in_place ? array : registers, one.index, one.value);
        if (!start_.empty())
            steps.push_back({StepKind::start, start_, start_is_memory_ || launch_.in_place ? array : registers});
        for (auto& [place, step] : places_) {
            std::sort(step.threads.begin(), step.threads.end(),
                      [](const ThreadStep& a, const ThreadStep& b) { return a.thread < b.thread; });
            for (const ThreadStep& one : step.threads) {
                if (step.kind == StepKind::memory) put(array, one.index, one.value);
                if (step.kind != StepKind::atomic) put(registers, one.thread, one.value);
            }
            step.cells = step.kind == StepKind::memory ? array : registers;
            if (step.kind == StepKind::atomic) step.cells = {step.threads.front().value};
            steps.push_back(std::move(step));
        }
        return steps;
    }

    const SteppedLaunch& launch_;
    const std::size_t bytes_;
    const simt::check::TracedBlock& block_;
    std::vector<FollowedThread> threads_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> given_;  // to shuffles, by lane and epoch
    std::uint64_t shared_begin_ = UINT64_MAX;                                 // of the block's first array
    std::map<StepPlace, CombiningStep> places_;
    std::vector<ThreadStep> start_;
    bool start_is_memory_ = false;
    std::size_t atomics_ = 0;
};

// "7", "1+9" or, for a range with equal distances, "16..112".
std::string partners_text(const std::vector<std::size_t>& partners) {
    if (partners.size() > 2) return text("{}..{}", partners.front(), partners.back());
    std::string all;
    for (const std::size_t one : partners) all += (all.empty() ? "" : "+") + std::to_string(one);
    return all;
}

}  // namespace

std::size_t CombiningStep::stride() const {
    std::size_t either_way = 0, ahead = 0;  // ahead: around the end of the array
    bool is_either_way = true, is_ahead = true;
    for (const ThreadStep& one : threads) {
        if (one.partners.size() != 1) return 0;
        const std::size_t partner = one.partners.front();
        if (partner == one.index) continue;  // a shuffle from beyond the last lane
        const std::size_t distance = partner > one.index ? partner - one.index : one.index - partner;
        const std::size_t around = partner > one.index ? distance : cells.size() - distance;
        if (either_way == 0) either_way = distance, ahead = around;
        is_either_way &= distance == either_way;
        is_ahead &= around == ahead;
    }
    return is_either_way ? either_way : is_ahead ? ahead : 0;
}

CombiningSteps::CombiningSteps(const SteppedLaunch& launch, const simt::check::TracedBlock& block)
    : launch_(launch), threads_(block.lanes) {
    steps_ = Follower(launch, block).steps();
}

bool CombiningSteps::any() const {
    return std::any_of(steps_.begin(), steps_.end(),
                       [](const CombiningStep& step) { return step.kind != StepKind::start; });
}

std::string CombiningSteps::shown(std::uint64_t bits) const {
    return with_element(launch_.dtype, bits, [](auto element) {
        if constexpr (std::is_floating_point_v<decltype(element)>) return text("{:.6g}", element);
        else return number_text(static_cast<long long>(element));
    });
}

Cell CombiningSteps::cell_of(std::uint64_t bits) const {
    return with_element(launch_.dtype, bits, [](auto element) -> Cell {
        if constexpr (std::is_floating_point_v<decltype(element)>) {
            const std::string digits = number_text(element);
            const std::size_t point = digits.find('.');
            const bool has_exponent = digits.find('e') != digits.npos;
            return Fixed{element, has_exponent           ? 17
                                  : point == digits.npos ? 0
                                                         : static_cast<int>(digits.size() - point - 1)};
        } else return whole(element);
    });
}

std::vector<Column> step_columns() {
    return {{"kernel", "kernel"}, {"step", "step"},   {"thread", "thread"},   {"active", "active"},
            {"index", "index"},   {"value", "value"}, {"partner", "partner"}, {"from", "from"}};
}

void CombiningSteps::add_rows(Table& table) const {
    const std::size_t first = !steps_.empty() && steps_.front().kind == StepKind::start ? 0 : 1;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const CombiningStep& step = steps_[i];
        const auto add = [&](unsigned thread, bool active, std::size_t index, const Cell& value,
                             const std::string& partner, const std::string& from) {
            table.add(
                {launch_.kernel, whole(i + first), whole(thread), whole(active), whole(index), value, partner, from});
        };
        for (unsigned thread = 0; thread < threads_; ++thread) {
            const auto mine = [=](const ThreadStep& one) { return one.thread == thread; };
            const auto own = std::find_if(step.threads.begin(), step.threads.end(), mine);
            if (own != step.threads.end()) {
                const std::string partners = partners_text(own->partners);
                add(thread, true, own->index, cell_of(own->value), partners.empty() ? "none" : partners, own->from);
            } else if (step.kind != StepKind::atomic) {
                const bool is_known = thread < step.cells.size() && step.cells[thread];
                add(thread, false, thread, is_known ? cell_of(*step.cells[thread]) : Cell(absent()), "none", "none");
            }
        }
    }
}

namespace {

// Lines of equally wide cells; cells that do not fit begin further lines.
class Across {
public:
    Across(std::size_t cells, std::size_t width) : cells_(cells), width_(width) {}

    void add(const std::string& label, const std::string& what, std::vector<std::string> cells) {
        cells.resize(cells_, "");
        for (const std::string& cell : cells) widest_ = std::max(widest_, terminal_columns(cell));
        lines_.push_back({label, what, std::move(cells)});
    }
    // A group of lines stays together where they are broken.
    void end_group() { groups_.push_back(lines_.size()); }
    void keep(std::size_t cells) {
        cells_ = cells;
        for (Line& line : lines_) line.cells.resize(cells);
    }

    std::string all() const {
        std::size_t label = 0, what = 0;
        for (const Line& line : lines_) {
            label = std::max(label, line.label.size());
            what = std::max(what, line.what.size());
        }
        const std::size_t margin = label + 1 + what, cell = widest_ + 2;
        const std::size_t fit =
            width_ == no_limit ? cells_ : std::max<std::size_t>(1, (width_ - std::min(width_, margin)) / cell);
        std::string out;
        std::size_t begin = 0;
        for (const std::size_t end : groups_) {
            if (begin > 0) out += "\n";
            for (std::size_t first = 0; first < cells_; first += fit)
                for (std::size_t i = begin; i < end; ++i) {
                    const Line& line = lines_[i];
                    std::string text = first == 0 ? line.label : "";
                    text.resize(label + 1, ' ');
                    text += line.what;
                    text.resize(margin, ' ');
                    for (std::size_t k = first; k < std::min(first + fit, cells_); ++k)
                        text += std::string(cell - terminal_columns(line.cells[k]), ' ') + line.cells[k];
                    text.erase(text.find_last_not_of(' ') + 1);
                    out += text + "\n";
                }
            begin = end;
        }
        return out;
    }

private:
    struct Line {
        std::string label, what;
        std::vector<std::string> cells;
    };
    std::size_t cells_;
    const std::size_t width_;
    std::size_t widest_ = 1;
    std::vector<Line> lines_;
    std::vector<std::size_t> groups_;
};

}  // namespace

// Atomic operations one below the other, as they happened.
void CombiningSteps::draw_atomics(Output& output, std::size_t& step, std::size_t& number) const {
    std::vector<LaidOutColumn> columns = {{"", false, 8}, {"thread", true, 6}, {"total", true, 10}};
    if (launch_.adds) columns.insert(columns.begin() + 2, {"adds", true, 10});
    Layout layout(columns, no_limit, false);
    const auto write = [&](const std::string& when, const std::string& thread, const std::string& change,
                           std::uint64_t total) {
        std::vector<std::string> fields = {when, thread, shown(total)};
        if (launch_.adds) fields.insert(fields.begin() + 2, change);
        output.write(layout.row(fields));
    };
    output.write("\n" + layout.head());
    write("start", "", "", steps_[step].threads.front().before);
    for (; step < steps_.size() && steps_[step].kind == StepKind::atomic; ++step, ++number) {
        const ThreadStep& one = steps_[step].threads.front();
        write(text("step {}", number), std::to_string(one.thread), change_of(one), one.value);
    }
}

// What an addition has added.
std::string CombiningSteps::change_of(const ThreadStep& one) const {
    return with_element(launch_.dtype, one.value, [&](auto after) {
        return with_element(launch_.dtype, one.before, [&](auto before) {
            if constexpr (std::is_floating_point_v<decltype(before)>)
                return text("{:.6g}", double(after) - double(before));
            else return number_text(static_cast<long long>(after) - static_cast<long long>(before));
        });
    });
}

// How many cells are worth drawing: all beyond hold one and the same value in every step, or none.
std::size_t CombiningSteps::cells_that_differ(std::size_t cells, std::string& common) const {
    std::size_t different = cells;
    for (; different > std::max<std::size_t>(1, launch_.input.size()); --different)
        for (const CombiningStep& step : steps_) {
            if (step.kind == StepKind::atomic || step.cells.size() < different || !step.cells[different - 1]) continue;
            const std::string value = shown(*step.cells[different - 1]);
            if (common.empty()) common = value;
            if (value != common) return different;
        }
    return different;
}

void CombiningSteps::draw(Output& output) const {
    std::size_t cells = std::max<std::size_t>(threads_, launch_.input.size());
    for (const CombiningStep& step : steps_) cells = std::max(cells, step.cells.size());
    const auto texts_of = [&](const std::vector<std::optional<std::uint64_t>>& values) {
        std::vector<std::string> texts;
        for (const auto& value : values) texts.push_back(value ? shown(*value) : "");
        return texts;
    };
    Across lines(cells, output.width());
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < cells; ++i) numbers.push_back(std::to_string(i));
    lines.add("", "index", numbers);
    if (!steps_.empty() && steps_.front().kind == StepKind::start)
        lines.add("start", "values", texts_of(steps_.front().cells));
    else {
        std::vector<std::string> texts;
        for (const std::uint64_t bits : launch_.input) texts.push_back(shown(bits));
        lines.add("input", "values", texts);
    }
    lines.end_group();
    const bool has_start = !steps_.empty() && steps_.front().kind == StepKind::start;
    std::size_t number = 1, i = has_start ? 1 : 0;
    for (; i < steps_.size() && steps_[i].kind != StepKind::atomic; ++i, ++number) {
        const CombiningStep& step = steps_[i];
        std::vector<std::string> threads(cells, "."), partners(cells, ".");
        for (const ThreadStep& one : step.threads) {
            threads[one.index] = std::to_string(one.thread);
            if (!one.partners.empty()) partners[one.index] = partners_text(one.partners);
        }
        const std::size_t stride = step.stride();
        const bool has_partners = std::any_of(step.threads.begin(), step.threads.end(),
                                              [](const ThreadStep& one) { return !one.partners.empty(); });
        lines.add(text("step {}", number), "thread", threads);
        if (has_partners) lines.add(stride == 0 ? "" : text("stride {}", stride), "with", partners);
        lines.add(step.threads.front().from, "values", texts_of(step.cells));
        lines.end_group();
    }
    output.write(text("{}: {} {}, {}\n", launch_.kernel, threads_, threads_ == 1 ? "thread" : "threads",
                      name_of(launch_.dtype)));
    std::string common;
    const std::size_t different = cells_that_differ(cells, common);
    lines.keep(different);
    if (has_start || !launch_.input.empty() || i > 0) output.write("\n" + lines.all());
    if (!common.empty() && different < cells)
        output.write(text("\nFrom index {} on, every value is {} throughout.\n", different, common));
    while (i < steps_.size()) {
        if (steps_[i].kind == StepKind::atomic) draw_atomics(output, i, number);
        else ++i, ++number;
    }
    output.write(
        text("\nThe result is {}, after {} {}.\n", shown(launch_.result), number - 1, number == 2 ? "step" : "steps"));
}
