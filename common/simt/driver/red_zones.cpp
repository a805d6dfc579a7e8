// SPDX-License-Identifier: MIT
#include "common/simt/driver/red_zones.hpp"

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace simcc {
namespace {

constexpr std::string_view red_zone = "\t.zero\t128\n";

bool begins_with(std::string_view line, std::string_view word) { return line.substr(0, word.size()) == word; }

bool begins_with_one_of(std::string_view line, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
        if (begins_with(line, word)) return true;
    }
    return false;
}

/// Whether the line switches to another section; to one for thread-local variables; to one for other variables.
bool is_section(std::string_view line) {
    return begins_with_one_of(line, {"\t.section\t", "\t.text", "\t.data", "\t.bss", "\t.previous"});
}
bool is_thread_local_section(std::string_view line) { return begins_with(line, "\t.section\t.tbss"); }
bool is_variable_section(std::string_view line) {
    return begins_with_one_of(line, {"\t.data", "\t.bss", "\t.section\t.data", "\t.section\t.bss"});
}

/// Whether a variable of the program follows; the compiler's own have names that begin with `.L`.
bool announces_variable(std::string_view line) {
    return begins_with(line, "\t.type\t") && !begins_with(line, "\t.type\t.L") &&
           line.find("object") != std::string_view::npos;
}

/// "\t.comm\ttable,32,16" declares a zero-initialized variable, which would be placed right next to others. Rewrites
/// such a line in the form of other variables, with a red zone.
std::string with_room_of_its_own(std::string_view common) {
    const std::size_t name = std::string_view("\t.comm\t").size();
    const std::size_t bytes = common.find(',', name) + 1, alignment = common.find(',', bytes) + 1;
    const std::string symbol(common.substr(name, bytes - 1 - name)), size(common.substr(bytes, alignment - 1 - bytes));
    return "\t.pushsection\t.bss\n" + std::string(red_zone) + "\t.balign\t" + std::string(common.substr(alignment)) +
           "\t.type\t" + symbol + ", @object\n\t.size\t" + symbol + ", " + size + "\n" + symbol + ":\n\t.zero\t" +
           size + "\n\t.popsection\n";
}

}  // namespace

std::string with_red_zones(const std::string& assembly) {
    std::string result;
    result.reserve(assembly.size() + assembly.size() / 64);
    bool in_thread_locals = false, in_variables = false, is_local = false;
    std::string_view alignment;  // of the variable that the next line announces
    for (std::size_t begin = 0; begin < assembly.size();) {
        const std::size_t newline = assembly.find('\n', begin);
        const std::size_t end = newline == std::string::npos ? assembly.size() : newline + 1;
        const std::string_view line(assembly.data() + begin, end - begin);
        begin = end;
        if (is_section(line)) {
            in_thread_locals = is_thread_local_section(line);
            in_variables = is_variable_section(line);
        }
        if (in_variables && announces_variable(line)) result += red_zone;
        result += alignment;
        alignment = {};
        if (in_variables && begins_with(line, "\t.align\t")) {
            alignment = line;
        } else if (is_local && begins_with(line, "\t.comm\t")) {
            result += with_room_of_its_own(line);
        } else {
            result += line;
        }
        if (in_thread_locals && begins_with(line, "\t.zero\t")) result += red_zone;
        is_local = begins_with(line, "\t.local\t");
    }
    result += alignment;
    return result;
}

}  // namespace simcc
