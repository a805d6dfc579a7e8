#include "common/simt/simcc_red_zones.hpp"

#include <string_view>

namespace simcc {
namespace {

constexpr std::string_view red_zone = "\t.zero\t128\n";

bool begins_with(std::string_view line, std::string_view word) { return line.substr(0, word.size()) == word; }

/// Whether the line switches to another section.
bool is_section(std::string_view line) {
    for (const std::string_view directive : {"\t.section\t", "\t.text", "\t.data", "\t.bss", "\t.previous"}) {
        if (begins_with(line, directive)) return true;
    }
    return false;
}

}  // namespace

std::string with_red_zones(const std::string& assembly) {
    std::string result;
    result.reserve(assembly.size() + assembly.size() / 64);
    bool in_variables = false;
    for (std::size_t begin = 0; begin < assembly.size();) {
        const std::size_t newline = assembly.find('\n', begin);
        const std::size_t end = newline == std::string::npos ? assembly.size() : newline + 1;
        const std::string_view line(assembly.data() + begin, end - begin);
        begin = end;
        if (is_section(line)) in_variables = begins_with(line, "\t.section\t.tbss");
        result += line;
        if (in_variables && begins_with(line, "\t.zero\t")) result += red_zone;
    }
    return result;
}

}  // namespace simcc
