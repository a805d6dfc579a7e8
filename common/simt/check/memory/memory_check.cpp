// SPDX-License-Identifier: MIT
#include "common/simt/check/memory/memory_check.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/core/program_image.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/memory/events.hpp"
#include "common/simt/exec/address_space.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {
namespace {

// A launch with a dropped lane ends with this error, as under compute-sanitizer.
constexpr int launch_failure = error_launch_failure;

constexpr const char* out_of_bounds = "is out of bounds";
constexpr const char* misaligned = "is misaligned";

// Accesses of sizes that a GPU supports must be aligned to their size; others consist of smaller ones. For 16 bytes,
// the compiler does not say whether they are a structure of two numbers, which a GPU loads one by one.
bool is_misaligned(const Access& access) {
    const bool single = access.bytes <= 16 && (access.bytes & (access.bytes - 1)) == 0;
    const bool may_be_two = access.bytes == 16 && !access.is_vector && !access.is_atomic;
    return single && !access.is_unaligned && access.address % (may_be_two ? 8 : access.bytes) != 0;
}

const char* name_of(Space space) {
    return space == Space::shared ? "__shared__" : space == Space::local ? "__local__" : "__global__";
}

std::string title_of_invalid(const Access& access) {
    const char* const operation = access.is_atomic && updates(access.kind) ? "atomic"
                                  : access.is_write                        ? "write"
                                                                           : "read";
    const std::string title = std::string("Invalid ") + name_of(access.space) + " " + operation;
    return access.bytes > 0 ? title + " of size " + counted(access.bytes, "byte") : title;
}

// A number for the tool and the title.
uint64_t number_of(const Access& access, Tool tool) {
    const uint64_t operation = access.is_atomic && updates(access.kind) ? 2 : access.is_write;
    return uint64_t{access.bytes} << 8 | operation << 4 | static_cast<uint64_t>(access.space) << 2 |
           static_cast<uint64_t>(tool);
}

Place place_of(const Access& access) { return {access.pc, access.file, access.line}; }

// "and is 1 bytes after", as compute-sanitizer counts: the first byte past the end is 1 byte after it.
std::string distance(uintptr_t address, uintptr_t begin, size_t bytes) {
    if (address < begin) return "and is " + grouped(begin - address) + " bytes before";
    if (address < begin + bytes) return "and is inside";
    return "and is " + grouped(address - begin - bytes + 1) + " bytes after";
}

std::optional<std::string> relation_to_allocation(uintptr_t address, uint64_t& serial) {
    const auto nearest = runtime().memory.nearest(reinterpret_cast<const void*>(address));
    if (!nearest) return std::nullopt;
    serial = nearest->serial;
    const bool freed_here = nearest->freed && nearest->contains(address);
    return distance(address, nearest->base, nearest->bytes) +
           (freed_here ? " the allocation at " : " the nearest allocation at ") + hexadecimal(nearest->base) +
           " of size " + grouped(nearest->bytes) + " bytes" + (freed_here ? " that has been freed" : "");
}

Finding finding_of(const BlockCheck& check, const Access& access, Tool tool, const std::string& title) {
    const Context& lane = check.context(access.lane);
    const BlockIdentity& block = check.block().identity();
    Finding finding;
    finding.tool = tool;
    finding.title = title;
    finding.kernel = check.launch().kernel;
    finding.sides = {{"", place_of(access), {{lane.x, lane.y, lane.z}, {block.index_x, block.index_y, block.index_z}}}};
    return finding;
}

}  // namespace

MemoryCheck::MemoryCheck(BlockCheck& check)
    : settled_global_(global_memory().settled()),
      settled_shared_(0),
      check_(check),
      global_(global_memory()),
      shared_(check.shared_window()) {
    settled_shared_ = shared_.map().settled();
}

void MemoryCheck::begin_block() {
    shared_.begin_block(check_.launch().dynamic_shared_bytes);
    repeated_.begin_block(check_.launch().serial, check_.block_index());
    if (launch_ == check_.launch().serial) return;
    launch_ = check_.launch().serial;
    std::fill(std::begin(known_), std::end(known_), AddressRange());
}

// An unusual access: the first to some bytes, or an invalid one.
void MemoryCheck::examine(const Access& access) {
    switch (access.space) {
        case Space::global: return examine(access, global_);
        case Space::shared: return examine(access, shared_.map());
        case Space::other: return examine_elsewhere(access);
        case Space::local: return;
    }
}

void MemoryCheck::examine(const Access& access, StateMap& map) {
    if (settings().memcheck && is_misaligned(access)) return invalid(access, misaligned);
    if (!map.contains(access.address + access.bytes - 1) || !map.is_addressable(access.address, access.bytes)) {
        if (settings().memcheck) invalid(access, out_of_bounds);
        return;
    }
    const bool reads = !access.is_write || (access.is_atomic && updates(access.kind));
    if (reads && settings().initcheck && is_uninitialized(access, map)) uninitialized(access);
    if (&map == &global_) {
        map.initialize(access.address, access.bytes);
    } else {
        shared_.initialize(access.address, access.bytes);
    }
}

// An access larger than a word may be a whole structure, with padding that nobody writes.
bool MemoryCheck::is_uninitialized(const Access& access, const StateMap& map) {
    constexpr uint32_t word = 4;
    return access.bytes <= word ? !map.is_initialized(access.address, access.bytes)
                                : map.initialized_bytes(access.address, access.bytes) == 0;
}

// The address is in a program variable, registered host memory, or memory that kernels must not touch.
void MemoryCheck::examine_elsewhere(const Access& access) {
    if (!settings().memcheck) return;
    if (is_misaligned(access)) return invalid(access, misaligned);
    const auto holds = [&](const AddressRange& range) {
        return range.contains(access.address) && range.contains(access.address + access.bytes - 1);
    };
    if (std::any_of(std::begin(known_), std::end(known_), holds)) return;
    AddressRange range;
    const ProgramImage& image = ProgramImage::instance();
    if (const auto allocation = runtime().memory.find(reinterpret_cast<const void*>(access.address))) {
        range = {allocation->base, allocation->bytes};
    } else if (const Variable* variable = image.unannounced_at(access.address)) {
        range = {variable->begin, variable->bytes};
    } else if (!access.is_write && may_be_read(access)) {
        return;
    }
    if (!holds(range)) return invalid(access, out_of_bounds);
    known_[next_known_++ % remembered_ranges] = range;
}

// Kernels may read constants, the host's copy of a toolkit's table, and the operands of the launch statement, which may
// read its own: this->kernel<<<...>>>.
bool MemoryCheck::may_be_read(const Access& access) {
    const ProgramImage& image = ProgramImage::instance();
    if (image.is_constant(access.address)) return !image.is_between_constants(access.address + access.bytes - 1);
    const Symbol& place = symbol_of(access.pc);
    if (place.in_launch_statement) return true;
    const Variable* const variable = place.in_system_header ? image.host_variable_at(access.address) : nullptr;
    return variable && variable->contains(access.address + access.bytes - 1);
}

Finding MemoryCheck::finding_of_invalid(const Access& access, const std::string& reason) const {
    Finding finding = finding_of(check_, access, Tool::memcheck, title_of_invalid(access));
    if (access.space == Space::shared) {
        const Variable array = shared_.nearest_array(access.address);
        finding.details = {"Access to " + hexadecimal(access.address - check_.shared_window().begin) + " " + reason};
        if (array.bytes > 0) {
            finding.details.push_back(distance(access.address, array.begin, array.bytes) + " the " + array.name +
                                      " of size " + counted(array.bytes, "byte"));
        }
    } else {
        finding.details = {"Access to " + hexadecimal(access.address) + " " + reason};
        if (const auto relation = relation_to_allocation(access.address, finding.allocation_serial)) {
            finding.details.push_back(*relation);
        }
    }
    return finding;
}

void MemoryCheck::invalid(const Access& access, const char* reason) {
    repeated_.report(number_of(access, Tool::memcheck), place_of(access), access.lane,
                     [&] { return finding_of_invalid(access, reason); });
    check_.drop_running_lane(launch_failure);
}

void MemoryCheck::invalid_index(const Access& access, const char* array, const char* type) {
    if (!settings().memcheck) return;
    repeated_.report(number_of(access, Tool::memcheck), place_of(access), access.lane, [&] {
        Finding finding = finding_of(check_, access, Tool::memcheck, title_of_invalid(access));
        finding.details = {"Access is out of bounds", std::string("of the array ") + array + " of type " + type};
        return finding;
    });
    check_.drop_running_lane(launch_failure);
}

void MemoryCheck::stack_overflow(const void* pc) {
    if (!settings().memcheck) return;
    Access access{0, 0, check_.running_lane(), Space::local, true};
    access.pc = pc;
    Finding finding = finding_of(check_, access, Tool::memcheck, "Stack overflow");
    const size_t room = LaneStacks::bytes_per_lane - page_bytes();
    finding.details = {"A thread's stack has " + counted(room, "byte") + " in the simulator"};
    report(std::move(finding));
    check_.drop_running_lane(launch_failure);
}

// The place is the first return address into the kernel on the stack.
bool MemoryCheck::stack_overflow(uintptr_t instruction, const uintptr_t* stack) {
    constexpr size_t words_searched = 512;
    const void* place = reinterpret_cast<const void*>(instruction + 1);
    for (size_t i = 0; i < words_searched && device_frames(symbol_of(place)).empty(); ++i) {
        place = reinterpret_cast<const void*>(stack[i]);
    }
    stack_overflow(place);
    return true;
}

void MemoryCheck::invalid_free(const void* pointer, const void* pc) {
    if (!settings().memcheck) return;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    const auto nearest = runtime().memory.nearest(pointer);
    const bool is_second = nearest && nearest->freed && nearest->base == address && nearest->kind == MemoryKind::heap;
    Access access{address, 1, check_.running_lane(), Space::global, true};
    access.pc = pc;
    Finding finding = finding_of(
        check_, access, Tool::memcheck,
        std::string("Malloc/Free error encountered : ") + (is_second ? "Double free" : "Invalid pointer to free"));
    finding.details = {"Address " + hexadecimal(address)};
    report(std::move(finding));
    check_.drop_running_lane(launch_failure);
}

void MemoryCheck::invalid_argument(uintptr_t pointer, Space space, const void* pc) {
    if (!settings().memcheck) return;
    Access access{pointer, 1, check_.running_lane(), space, true};
    access.pc = pc;
    const std::string memory = space == Space::shared ? "__shared__" : "__local__";
    Finding finding = finding_of(check_, access, Tool::memcheck, "Pointer to " + memory + " memory passed to a kernel");
    finding.details = {"Address " + hexadecimal(pointer) + " means something else in the grid that is launched"};
    report(std::move(finding));
    check_.drop_running_lane(launch_failure);
}

void MemoryCheck::uninitialized(const Access& access) {
    if (check_.has_lost_lanes()) return;
    repeated_.report(number_of(access, Tool::initcheck), place_of(access), access.lane,
                     [&] { return finding_of_uninitialized(access); });
}

Finding MemoryCheck::finding_of_uninitialized(const Access& access) const {
    Finding finding = finding_of(check_, access, Tool::initcheck,
                                 "Uninitialized " + std::string(name_of(access.space)) + " memory read of size " +
                                     counted(access.bytes, "byte"));
    if (access.space == Space::global) {
        uint64_t serial = 0;
        finding.details = {"Access to " + hexadecimal(access.address)};
        if (const auto relation = relation_to_allocation(access.address, serial)) finding.details.push_back(*relation);
        finding.allocation_serial = serial;
    } else {
        finding.details = {"of the " + shared_.nearest_array(access.address).name};
    }
    return finding;
}

// ---- indices past the end of local arrays

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string text_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// An indexed expression in the source.
struct IndexedName {
    std::string name;
    bool is_written = false;
};

class SourceLine {
public:
    SourceLine(std::string_view text, unsigned line) {
        for (; line > 1 && !text.empty(); --line) {
            const size_t newline = text.find('\n');
            text = newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
        }
        line_ = text.substr(0, text.find('\n'));
    }

    // The name that the brackets at `column` index, if this is its first index. None if something else is indexed: a
    // row, a member through a pointer, a function's result, a macro's text.
    std::optional<IndexedName> indexed_at(unsigned column) const {
        if (column == 0 || column > line_.size()) return std::nullopt;
        size_t open = column - 1;
        if (line_[open] == ']') open = partner_of(open);
        if (open == std::string_view::npos || line_[open] != '[') return std::nullopt;
        size_t end = open;
        while (true) {
            while (end > 0 && line_[end - 1] == ' ') --end;
            size_t begin = end;
            while (begin > 0 && is_word(line_[begin - 1])) --begin;
            if (begin == end) return std::nullopt;
            const bool is_member = begin > 0 && line_[begin - 1] == '.';
            const bool is_pointed_to = begin > 1 && line_.substr(begin - 2, 2) == "->";
            if (is_pointed_to) return std::nullopt;
            if (!is_member) return IndexedName{std::string(line_.substr(begin, end - begin)), is_written_behind(open)};
            end = begin - 1;
        }
    }

private:
    size_t partner_of(size_t close) const {
        int depth = 0;
        for (size_t i = close + 1; i-- > 0;) {
            depth += line_[i] == ']' ? 1 : line_[i] == '[' ? -1 : 0;
            if (depth == 0) return i;
        }
        return std::string_view::npos;
    }

    // Whether an assignment follows the brackets and any further brackets after them.
    bool is_written_behind(size_t open) const {
        int depth = 0;
        size_t i = open;
        for (; i < line_.size(); ++i) {
            depth += line_[i] == '[' ? 1 : line_[i] == ']' ? -1 : 0;
            const bool is_behind_brackets = depth == 0 && line_[i] != ']';
            if (is_behind_brackets && line_[i] != ' ' && line_[i] != '.' && !is_word(line_[i])) break;
        }
        return i < line_.size() && line_[i] == '=' && line_.substr(i, 2) != "==";
    }

    std::string_view line_;
};

// "'float [8]'" -> 4; 0 if the type is not built in.
unsigned element_bytes_of(std::string_view type) {
    const size_t end = type.find(" [");
    std::string_view element = type.substr(1, end == std::string_view::npos ? end : end - 1);
    if (element.find('*') != std::string_view::npos) return 8;
    for (const std::string_view qualifier : {"const ", "volatile ", "unsigned "}) {
        if (element.substr(0, qualifier.size()) == qualifier) element.remove_prefix(qualifier.size());
    }
    static constexpr struct {
        std::string_view name;
        unsigned bytes;
    } types[] = {{"char", 1},      {"signed char", 1}, {"bool", 1},     {"short int", 2}, {"short", 2},
                 {"int", 4},       {"float", 4},       {"long int", 8}, {"long", 8},      {"long long int", 8},
                 {"long long", 8}, {"double", 8},      {"float2", 8},   {"int2", 8},      {"uint2", 8},
                 {"float4", 16},   {"int4", 16},       {"uint4", 16},   {"double2", 16}};
    for (const auto& known : types) {
        if (element == known.name) return known.bytes;
    }
    return 0;
}

// What is known about a place where an index was out of bounds. Empty unless the array is one whose accesses nothing else
// reports: a local variable, or a constant, since g++ assumes that nobody wants to know who reads a constant.
struct Verdict {
    bool is_ours = false, is_write = false;
    Space space = Space::local;
    std::string array;
};

Verdict judge(const OutOfBounds& place, const void* pc) {
    const Symbol& symbol = symbol_of(pc);
    std::string path = place.file;
    for (const Frame& frame : symbol.frames) {
        const std::string name = "/" + frame.file;
        const std::string told = "/" + path;
        if (told.size() >= name.size() && told.compare(told.size() - name.size(), name.size(), name) == 0) {
            if (frame.is_simulator) return {};
            path = frame.path;
            break;
        }
    }
    const std::string text = text_of_file(path);
    const auto indexed = SourceLine(text, place.line).indexed_at(place.column);
    if (!indexed) return {};
    const bool is_reference = text.find("&" + indexed->name + ")") != std::string::npos ||
                              text.find("*" + indexed->name + ")") != std::string::npos;
    if (is_reference) return {};
    using Meaning = ProgramImage::Meaning;
    switch (ProgramImage::instance().meaning_of(indexed->name, symbol)) {
        case Meaning::variable: return {};
        case Meaning::constant: return {true, false, Space::global, indexed->name};
        case Meaning::neither: return {true, indexed->is_written, Space::local, indexed->name};
    }
    return {};
}

const Verdict& verdict_on(const OutOfBounds& place, const void* pc) {
    static std::mutex mutex;
    static auto& known = *new std::unordered_map<const OutOfBounds*, Verdict>;  // its elements never move
    const std::lock_guard lock(mutex);
    const auto [position, is_new] = known.try_emplace(&place);
    if (is_new) position->second = judge(place, pc);
    return position->second;
}

}  // namespace

void index_out_of_bounds(MemoryCheck& memory, unsigned lane, const OutOfBounds& place, const void* pc) {
    const Verdict& verdict = verdict_on(place, pc);
    if (!verdict.is_ours) return;
    Access access{0, element_bytes_of(place.array->name), lane, verdict.space, verdict.is_write};
    access.pc = pc;
    access.file = place.file;
    access.line = place.line;
    memory.invalid_index(access, verdict.array.c_str(), place.array->name);
}

}  // namespace simt::check
