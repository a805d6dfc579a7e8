// SPDX-License-Identifier: MIT
#include "common/simt/check/memory/state_map.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/exec/shared_window.hpp"

namespace simt::check {

StateMap::StateMap(uintptr_t base, size_t bytes) : base_(base), bytes_(bytes) {
    // The system provides pages of the map as they are written.
    void* const memory =
        mmap(nullptr, bytes / 4 + 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        end_program("no address space is left to check memory", "raise the limit (ulimit -v), or do not check");
    }
    cells_ = static_cast<uint8_t*>(memory);
}

StateMap::~StateMap() {
    if (cells_) munmap(cells_, bytes_ / 4 + 4);
}

// Calls change_cells(first, last) for cells entirely in the range and change_byte(cell, offset) for the rest.
template <typename Change, typename ChangeWhole>
void StateMap::change(uintptr_t address, size_t bytes, Change change_byte, ChangeWhole change_cells) {
    const uintptr_t end = address + bytes;
    for (; address < end && address % 4; ++address) change_byte(cell(address), address % 4);
    const uintptr_t whole_end = std::max(address, end / 4 * 4);
    if (address < whole_end) change_cells(cell(address), cell(address) + (whole_end - address) / 4);
    for (address = whole_end; address < end; ++address) change_byte(cell(address), address % 4);
}

void StateMap::allow(uintptr_t address, size_t bytes) {
    change(
        address, bytes, [](uint8_t* cell, unsigned offset) { *cell = (*cell & ~(0x01 << offset)) | 0x10 << offset; },
        [](uint8_t* first, uint8_t* last) { std::fill(first, last, 0xf0); });
}

void StateMap::forbid(uintptr_t address, size_t bytes) {
    change(
        address, bytes, [](uint8_t* cell, unsigned offset) { *cell &= ~(0x11 << offset); },
        [](uint8_t* first, uint8_t* last) { std::fill(first, last, 0); });
}

// Threads that write different bytes of a cell at the same time must not undo each other's bits.
void StateMap::initialize(uintptr_t address, size_t bytes) {
    change(
        address, bytes,
        [](uint8_t* cell, unsigned offset) {
            __atomic_fetch_or(cell, static_cast<uint8_t>(0x01 << offset), __ATOMIC_RELAXED);
        },
        [](uint8_t* first, uint8_t* last) {
            for (uint8_t* cell = first; cell != last; ++cell) {
                if ((*cell & 0x0f) != 0x0f) *cell |= 0x0f;
            }
        });
}

void StateMap::propagate(uintptr_t to, const StateMap& source, uintptr_t from, size_t bytes) {
    const bool aligned = to % 4 == 0 && from % 4 == 0;
    size_t done = 0;
    const auto copy_byte = [&](size_t at) {
        const unsigned flag = 0x01 << ((to + at) % 4);
        if (source.bit(from + at, 0x01)) {
            __atomic_fetch_or(cell(to + at), static_cast<uint8_t>(flag), __ATOMIC_RELAXED);
        } else {
            __atomic_fetch_and(cell(to + at), static_cast<uint8_t>(~flag), __ATOMIC_RELAXED);
        }
    };
    if (aligned && to <= from) {
        for (; done + 4 <= bytes; done += 4) {
            uint8_t* const target = cell(to + done);
            *target = (*target & 0xf0) | (*source.cell(from + done) & 0x0f);
        }
    }
    // If the ranges overlap and the target lies ahead, the bytes are copied backwards.
    if (to <= from) {
        for (; done < bytes; ++done) copy_byte(done);
    } else {
        for (size_t left = bytes; left > 0; --left) copy_byte(left - 1);
    }
}

void StateMap::assign(const StateMap& other, uintptr_t address, size_t bytes) {
    if (bytes > 0) std::memcpy(cell(address), other.cell(address), (address % 4 + bytes + 3) / 4);
}

bool StateMap::has_all(uintptr_t address, size_t bytes, unsigned flag) const {
    const uintptr_t end = address + bytes;
    while (address < end) {
        const bool whole = address % 4 == 0 && end - address >= 4;
        if (whole ? (*cell(address) & flag * 0x0f) != flag * 0x0f : !bit(address, flag)) return false;
        address += whole ? 4 : 1;
    }
    return true;
}

size_t StateMap::initialized_bytes(uintptr_t address, size_t bytes) const {
    size_t count = 0;
    for (size_t at = 0; at < bytes; ++at) count += bit(address + at, 0x01);
    return count;
}

size_t StateMap::first_uninitialized(uintptr_t address, size_t bytes) const {
    size_t at = 0;
    while (at < bytes && (address + at) % 4 == 0 && bytes - at >= 4 && (*cell(address + at) & 0x0f) == 0x0f) at += 4;
    while (at < bytes && bit(address + at, 0x01)) ++at;
    return at;
}

// Padding ends at an alignment boundary and is shorter than that alignment, in structures of at least two such units;
// every structure in the range has it in the same places.
bool StateMap::has_only_padding(uintptr_t address, size_t bytes) const {
    constexpr size_t longest = 7, most_in_a_structure = 8;
    struct Hole {
        size_t begin, length;
    };
    std::vector<Hole> holes;
    for (size_t at = first_uninitialized(address, bytes); at < bytes;) {
        size_t end = at;
        while (end < bytes && end - at <= longest && !bit(address + end, 0x01)) ++end;
        const size_t length = end - at;
        if (length > longest || (address + end) % std::bit_ceil(length + 1) != 0) return false;
        holes.push_back({at, length});
        at = end + first_uninitialized(address + end, bytes - end);
    }
    for (size_t count = 1; count <= most_in_a_structure && count < holes.size(); ++count) {
        const size_t period = holes[count].begin - holes[0].begin;
        const auto is_in_structure = [period](const Hole& hole) {
            const size_t unit = std::bit_ceil(hole.length + 1);
            return period % unit == 0 && period >= 2 * unit;
        };
        const auto repeats = [period](const Hole& hole, const Hole& next) {
            return next.begin == hole.begin + period && next.length == hole.length;
        };
        const bool spans_range = holes[0].begin < period && holes[holes.size() - count].begin + period >= bytes;
        const auto second = holes.begin() + static_cast<ptrdiff_t>(count);
        // The shortest period is the structure. An array with every second element missing also repeats.
        if (spans_range && std::equal(holes.begin(), holes.end() - static_cast<ptrdiff_t>(count), second, repeats)) {
            return std::all_of(holes.begin(), second, is_in_structure);
        }
    }
    return holes.empty();
}

// ---- the shared memory of one block

namespace {

// Excludes the simulator's own variables, such as the window for dynamic shared memory, which a launch uses in part.
bool is_of_the_program(const Variable& variable) { return variable.name.find("simt") == std::string::npos; }

}  // namespace

SharedState::SharedState(AddressRange window)
    : window_(window),
      dynamic_begin_(reinterpret_cast<uintptr_t>(SharedWindow::dynamic_begin())),
      fresh_(window.begin, window.bytes),
      current_(window.begin, window.bytes) {
    // Without symbols everything but the dynamic window may be an array.
    for (const Variable& variable : ProgramImage::instance().thread_local_variables()) {
        if (is_of_the_program(variable)) fresh_.allow(window.begin + variable.begin, variable.bytes);
    }
    fresh_.forbid(dynamic_begin_, max_dynamic_shared_bytes);
    current_.assign(fresh_, window.begin, window.bytes);
}

void SharedState::begin_block(size_t dynamic_bytes) {
    if (dynamic_bytes != dynamic_bytes_) {
        fresh_.forbid(dynamic_begin_, dynamic_bytes_);
        fresh_.allow(dynamic_begin_, dynamic_bytes);
        current_.assign(fresh_, dynamic_begin_, std::max(dynamic_bytes, dynamic_bytes_));
        dynamic_bytes_ = dynamic_bytes;
    }
    if (written_begin_ < written_end_) current_.assign(fresh_, written_begin_, written_end_ - written_begin_);
    written_begin_ = window_.begin + window_.bytes;
    written_end_ = window_.begin;
}

void SharedState::initialize(uintptr_t address, size_t bytes) {
    current_.initialize(address, bytes);
    written_begin_ = std::min(written_begin_, address);
    written_end_ = std::max(written_end_, address + bytes);
}

Variable SharedState::nearest_array(uintptr_t address) const {
    Variable best;
    size_t best_distance = ~size_t{0};
    const auto consider = [&](uintptr_t begin, size_t bytes, const std::string& name) {
        const uintptr_t end = begin + bytes;
        const size_t distance = address < begin ? begin - address : address < end ? 0 : address - end + 1;
        if (bytes == 0 || distance >= best_distance) return;
        best_distance = distance;
        best = {begin, bytes, name};
    };
    for (const Variable& variable : ProgramImage::instance().thread_local_variables()) {
        std::string name = "array " + variable.name.substr(variable.name.rfind(':') + 1);
        name = name.substr(0, name.find("_in_shared_memory"));  // which simcc appends for arrays of classes
        if (is_of_the_program(variable) && !variable.name.empty())
            consider(window_.begin + variable.begin, variable.bytes, name);
    }
    consider(dynamic_begin_, dynamic_bytes_, "dynamic shared memory");
    return best;
}

}  // namespace simt::check
