// SPDX-License-Identifier: MIT
#include "common/simt/check/memory/shared_state.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/simt/exec/run.hpp"
#include "common/simt/exec/shared_window.hpp"

namespace simt::check {
namespace {

// Excludes the simulator's own variables, such as the window for dynamic shared memory, which a launch uses in part.
bool is_of_the_program(const Variable& variable) { return variable.name.find("simt") == std::string::npos; }

}  // namespace

SharedState::SharedState(AddressRange window)
    : window_(window),
      dynamic_begin_(reinterpret_cast<uintptr_t>(SharedWindow::dynamic_begin())),
      fresh_(window.begin, window.bytes),
      current_(window.begin, window.bytes) {
    const auto& variables = ProgramImage::instance().thread_local_variables();
    for (const Variable& variable : variables) {
        if (is_of_the_program(variable)) fresh_.allow(window.begin + variable.begin, variable.bytes);
    }
    if (variables.empty()) {  // without symbols everything but the dynamic window may be an array
        fresh_.allow(window.begin, window.bytes);
        fresh_.forbid(dynamic_begin_, max_dynamic_shared_bytes);
    }
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
        if (is_of_the_program(variable)) consider(window_.begin + variable.begin, variable.bytes, name);
    }
    consider(dynamic_begin_, dynamic_bytes_, "dynamic shared memory");
    return best;
}

}  // namespace simt::check
