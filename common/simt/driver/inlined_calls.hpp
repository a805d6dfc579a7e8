// SPDX-License-Identifier: MIT
#pragma once
// Which functions the compiler has inlined where, from the comments in its assembly (g++ -dA).

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simcc {

inline bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// 12 of "12 rest", 18 of "0x12".
inline unsigned number_in(std::string_view text) {
    const bool is_hexadecimal = text.starts_with("0x");
    if (is_hexadecimal) text.remove_prefix(2);
    unsigned number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number, is_hexadecimal ? 16 : 10);
    return number;
}

/// "12" of "\t.value\t12\t# DW_AT_call_line"; empty if a line has only a comment.
inline std::string_view operand_of(std::string_view line) {
    if (!line.starts_with("\t.")) return {};
    const std::size_t begin = std::min(line.find_first_of("\t ", 2), line.size() - 1) + 1;
    return line.substr(begin, line.find_first_of("\t \n", begin) - begin);
}

/// ".LBE7" of ".LBE7-.LBB7".
inline std::string_view label_in(std::string_view operand) { return operand.substr(0, operand.find('-')); }

/// Lines of the assembly, from the first up to and without the last.
struct Range {
    std::size_t begin = 0, end = 0;
};

/// A function inlined into another: where its code is, and where it was called.
struct InlinedCall {
    std::vector<Range> ranges;
    unsigned file = 0, line = 0, function = 0;  // the function: its number in the debug information
};

/// What the compiler's debug information says about inlined functions.
class InlinedCalls {
public:
    explicit InlinedCalls(const std::vector<std::string_view>& lines) {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (!lines[i].starts_with(".L")) continue;
            if (const std::size_t colon = lines[i].find(':'); colon != std::string_view::npos) {
                labels_[lines[i].substr(0, colon)] = i;
            }
        }
        for (const std::string_view line : lines) read(line);
        finish_call();
        for (auto& [call, list] : lists_wanted_) {
            if (const auto found = lists_.find(list); found != lists_.end()) calls_[call].ranges = found->second;
        }
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            for (const Range& range : calls_[i].ranges) by_place_.push_back({range, i});
        }
        std::sort(by_place_.begin(), by_place_.end(),
                  [](const auto& one, const auto& other) { return one.first.begin < other.first.begin; });
    }

    /// The inlined calls that a line of the assembly belongs to, innermost first. To be asked in the order of lines.
    std::vector<const InlinedCall*> calls_at(std::size_t line) {
        for (; next_ < by_place_.size() && by_place_[next_].first.begin <= line; ++next_) {
            open_.push_back(by_place_[next_]);
        }
        open_.erase(
            std::remove_if(open_.begin(), open_.end(), [=](const auto& call) { return call.first.end <= line; }),
            open_.end());
        std::vector<std::size_t> inside;
        for (const auto& call : open_) inside.push_back(call.second);
        std::sort(inside.rbegin(), inside.rend());  // a function follows those that it is inlined into
        std::vector<const InlinedCall*> calls;
        for (const std::size_t call : inside) calls.push_back(&calls_[call]);
        return calls;
    }

    /// The function's own name, without its scope; or its mangled name.
    std::string_view name_of(unsigned function) const { return name_in(names_, function); }
    std::string_view linkage_name_of(unsigned function) const { return name_in(linkage_names_, function); }

private:
    using Names = std::unordered_map<unsigned, std::string_view>;

    std::string_view name_in(const Names& names, unsigned function) const {
        for (int depth = 0; depth < 4; ++depth) {
            if (const auto found = names.find(function); found != names.end()) return found->second;
            const auto declaration = declarations_.find(function);
            if (declaration == declarations_.end()) break;
            function = declaration->second;
        }
        return {};
    }

    std::size_t place_of(std::string_view label) const {
        const auto found = labels_.find(label);
        return found == labels_.end() ? 0 : found->second;
    }

    void read(std::string_view line) {
        if (const std::size_t entry = line.find("(DIE (0x"); entry != std::string_view::npos) {
            finish_call();
            entry_ = number_in(line.substr(entry + 6));
            is_call_ = holds(line, "DW_TAG_inlined_subroutine");
            return;
        }
        if (const std::size_t attribute = line.find("DW_AT_"); attribute != std::string_view::npos) {
            return read_attribute(line, line.substr(attribute + 6));
        }
        if (line.starts_with(".LLRL")) {
            list_ = &lists_[line.substr(0, line.find(':'))];
        } else if (list_ && holds(line, "Range begin address")) {
            list_->push_back({place_of(label_in(operand_of(line))), 0});
        } else if (list_ && !list_->empty() && (holds(line, "Range end address") || holds(line, "Range length"))) {
            list_->back().end = place_of(label_in(operand_of(line)));
        }
    }

    void read_attribute(std::string_view line, std::string_view attribute) {
        const std::string_view operand = operand_of(line);
        if (attribute.starts_with("name: \"")) {
            names_[entry_] = quoted_in(attribute);
        } else if (attribute.starts_with("linkage_name: \"")) {
            linkage_names_[entry_] = quoted_in(attribute);
        } else if (attribute.starts_with("specification")) {
            declarations_[entry_] = number_in(operand);
        }
        if (!is_call_) return;
        // A number that several entries share is only in the comment: "DW_AT_call_line (12)".
        const std::size_t parenthesis = attribute.find('(');
        const std::string_view number = !operand.empty()                        ? operand
                                        : parenthesis != std::string_view::npos ? attribute.substr(parenthesis + 1)
                                                                                : std::string_view();
        if (attribute.starts_with("abstract_origin")) call_.function = number_in(number);
        if (attribute.starts_with("call_file")) call_.file = number_in(number);
        if (attribute.starts_with("call_line")) call_.line = number_in(number);
        if (attribute.starts_with("low_pc")) call_.ranges = {{place_of(operand), 0}};
        if (attribute.starts_with("high_pc") && !call_.ranges.empty()) {
            call_.ranges.back().end = place_of(label_in(operand));
        }
        if (attribute.starts_with("ranges")) lists_wanted_.push_back({calls_.size(), label_in(operand)});
    }

    static std::string_view quoted_in(std::string_view attribute) {
        const std::size_t begin = attribute.find('"') + 1;
        return attribute.substr(begin, attribute.rfind('"') - begin);
    }

    void finish_call() {
        if (is_call_) calls_.push_back(std::exchange(call_, {}));
        is_call_ = false;
    }

    std::unordered_map<std::string_view, std::size_t> labels_;
    std::vector<InlinedCall> calls_;
    std::vector<std::pair<std::size_t, std::string_view>> lists_wanted_;  // by a call: the label of its ranges
    std::unordered_map<std::string_view, std::vector<Range>> lists_;
    Names names_, linkage_names_;
    std::unordered_map<unsigned, unsigned> declarations_;
    // While it is read:
    unsigned entry_ = 0;
    bool is_call_ = false;
    InlinedCall call_;
    std::vector<Range>* list_ = nullptr;
    // While it is asked:
    std::vector<std::pair<Range, std::size_t>> by_place_, open_;
    std::size_t next_ = 0;
};

}  // namespace simcc
