// SPDX-License-Identifier: MIT
#include "common/simt/check/memory/local_bounds.hpp"

#include <cctype>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/core/program_image.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/memory/memory_check.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {
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

// What is known about a place where an index was out of bounds. Empty unless the array is a local variable.
struct Verdict {
    bool is_local = false, is_write = false;
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
    if (is_reference || ProgramImage::instance().has_variable(indexed->name, symbol)) return {};
    return {true, indexed->is_written, indexed->name};
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
    if (!verdict.is_local) return;
    Access access{0, element_bytes_of(place.array->name), lane, Space::local, verdict.is_write};
    access.pc = pc;
    access.file = place.file;
    access.line = place.line;
    memory.invalid_index(access, verdict.array.c_str(), place.array->name);
}

}  // namespace simt::check
