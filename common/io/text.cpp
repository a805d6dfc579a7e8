// SPDX-License-Identifier: MIT
#include "common/io/text.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

std::string format_text(std::string_view format, std::initializer_list<TextArgument> arguments) {
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (const TextArgument& argument : arguments)
        std::visit([&](const auto& value) { store.push_back(value); }, argument);
    return fmt::vformat(fmt::string_view(format.data(), format.size()), store);
}

std::string source_name(std::string_view file) { return std::string(file.substr(file.substr(0, 2) == "./" ? 2 : 0)); }

std::vector<std::string> split(std::string_view list, char separator) {
    std::vector<std::string> parts;
    if (list.empty()) return parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = list.find(separator, begin);
        parts.emplace_back(list.substr(begin, end == list.npos ? list.npos : end - begin));
        if (end == list.npos) return parts;
        begin = end + 1;
    }
}

void add_once(std::vector<std::string>& words, std::string_view word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.emplace_back(word);
}

std::string list_text(const std::vector<std::string>& names, std::string_view last_joint) {
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) list += i + 1 < names.size() ? ", " : fmt::format(" {} ", last_joint);
        list += names[i];
    }
    return list;
}

// Only the last star needs to be tried again: it can match anything that an earlier one could.
bool matches_glob(std::string_view pattern, std::string_view name) {
    std::size_t p = 0, n = 0, star = pattern.npos, taken_by_star = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            taken_by_star = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p, ++n;
        } else if (star != pattern.npos) {
            p = star + 1;
            n = ++taken_by_star;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == pattern.npos;
}

std::string printable(std::string_view words, std::size_t longest) {
    std::string shown(words.substr(0, longest));
    for (char& c : shown)
        if (c < ' ' || c > '~') c = '?';
    return words.size() > longest ? shown + "..." : shown;
}
