// SPDX-License-Identifier: MIT
#include "common/simt/driver/assembly.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simcc {
namespace {

// ---- which functions the compiler has inlined where, from the comments in its assembly

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// 12 of "12 rest", 18 of "0x12".
unsigned number_in(std::string_view text) {
    const bool is_hexadecimal = text.starts_with("0x");
    if (is_hexadecimal) text.remove_prefix(2);
    unsigned number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number, is_hexadecimal ? 16 : 10);
    return number;
}

/// "12" of "\t.value\t12\t# DW_AT_call_line"; empty if a line has only a comment.
std::string_view operand_of(std::string_view line) {
    if (!line.starts_with("\t.")) return {};
    const std::size_t begin = std::min(line.find_first_of("\t ", 2), line.size() - 1) + 1;
    return line.substr(begin, line.find_first_of("\t \n", begin) - begin);
}

/// ".LBE7" of ".LBE7-.LBB7".
std::string_view label_in(std::string_view operand) { return operand.substr(0, operand.find('-')); }

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

// ---- the places

/// Whether the line has nothing but a comment.
bool is_comment(std::string_view line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    return line.substr(begin, 1) == "#" || line.substr(begin, 2) == "//";
}

/// A place of the program as a record names it.
struct Place {
    unsigned file = 0, line = 0;
    std::size_t caller = 0;  // the record of the place it is inlined at; 0: none

    bool operator<(const Place& other) const {
        return std::tie(file, line, caller) < std::tie(other.file, other.line, other.caller);
    }
};

// In a record's line.
constexpr unsigned line_mask = (1u << 28) - 1, in_launch_statement = 1u << 28, in_system_header = 1u << 29;

/// One function of a call path.
struct Frame {
    unsigned file, line;
    bool is_foreign, is_launch, is_statement;
    std::string_view name;  // mangled, of an inlined function
};

class PlaceMarks {
public:
    explicit PlaceMarks(std::string_view assembly) : lines_(lines_of(assembly)), information_(lines_) {
        marked_.reserve(assembly.size());
    }

    std::string write() {
        find_checked_functions();
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const std::string_view line = lines_[i];
            if (is_comment(line)) continue;
            if (line.starts_with("\t.file\t") || line.starts_with("\t.file ")) note_file(line);
            if (line.starts_with("\t.loc ")) note_place(line);
            if (line.starts_with("\t.cfi_startproc")) begin_function(i);
            if (line.starts_with("\t.cfi_endproc")) end_function();
            const bool is_checked = in_function_ && is_checked_[function_];
            const Role role = is_checked ? role_of(line) : Role::other;
            if (role == Role::branch) mark(i, !line.starts_with("\tj") && !line.starts_with("\tnotrack"));
            marked_ += line;
            const bool calls_x86 = line.starts_with("\tcall\t"),
                       calls_arm = line.starts_with("\tbl\t") || line.starts_with("\tblr\t");
            if (is_checked && (calls_x86 || calls_arm)) mark(i, calls_arm);
        }
        if (!files_used_.empty()) marked_ += "\t.section\t.rodata.str1.1,\"aMS\",%progbits,1\n";
        for (const auto& [file, path] : files_used_) {
            marked_ += ".Lsimt_file" + std::to_string(file) + ":\n\t.string\t\"" + path + "\"\n";
        }
        for (const auto& [name, number] : kernel_names_) {
            marked_ += ".Lsimt_kernel" + std::to_string(number) + ":\n\t.string\t\"" + std::string(name) + "\"\n";
        }
        return std::move(marked_);
    }

private:
    /// The functions with basic blocks that report themselves, by their order.
    void find_checked_functions() {
        for (const std::string_view line : lines_) {
            if (line.starts_with("\t.cfi_startproc")) is_checked_.push_back(false);
            if (!is_checked_.empty() && role_of(line) == Role::entry) is_checked_.back() = true;
        }
    }

    /// "\t.file 3 "/usr/include/math.h"", or with the folder by itself.
    void note_file(std::string_view line) {
        const std::size_t begin = line.find_first_of("0123456789\"");
        if (begin == std::string_view::npos || line[begin] == '"') return;
        std::string path;
        std::string_view rest = line.substr(line.find('"'));
        std::vector<std::string> words;
        while (!rest.empty() && rest.front() == '"') {
            const std::size_t end = rest.find('"', 1);
            words.emplace_back(rest.substr(1, end - 1));
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n", end + 1), rest.size()));
        }
        const unsigned file = number_in(line.substr(begin));
        if (file == 0) folder_ = words.front();
        path = words.size() > 1 ? words[0] + "/" + words[1] : words.front();
        if (!path.starts_with("/")) path = folder_ + "/" + path;
        if (paths_.size() <= file) paths_.resize(file + 1);
        paths_[file] = path;
    }

    void note_place(std::string_view line) {
        line.remove_prefix(6);
        file_ = number_in(line);
        line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
        line_ = number_in(line);
    }

    void begin_function(std::size_t i) {
        function_ = functions_++;
        in_function_ = true;
        places_.clear();
        kernel_ = {};
        has_one_kernel_ = true;
        symbol_ = name_of_function(i);
    }

    /// The function's label is a few lines above.
    std::string_view name_of_function(std::size_t i) const {
        for (std::size_t back = 1; back < 8 && back <= i; ++back) {
            const std::string_view line = lines_[i - back];
            if (line.find_first_of("\t.#/") != 0) return line.substr(0, line.find(':'));
        }
        return {};
    }

    Frame frame_of(unsigned file, unsigned line, bool is_call_function, bool is_statement) const {
        const std::string_view path = file < paths_.size() ? std::string_view(paths_[file]) : std::string_view();
        const bool is_foreign = path.empty() || is_foreign_file(path);
        return {file,         line, is_foreign, is_foreign && path.ends_with("/launch.hpp") && is_call_function,
                is_statement, {}};
    }

    /// The functions at a line of the assembly, innermost first.
    std::vector<Frame> frames_at(std::size_t i) {
        std::vector<Frame> frames;
        unsigned file = file_, line = line_;
        for (const InlinedCall* call : information_.calls_at(i)) {
            const std::string_view name = information_.name_of(call->function);
            const std::string_view linkage_name = information_.linkage_name_of(call->function);
            const bool is_lambda = holds(linkage_name, "UlDpOT_E");
            frames.push_back(
                frame_of(file, line, name.starts_with("call<"), is_lambda || name.starts_with("operator()<")));
            frames.back().name = linkage_name.empty() ? name : linkage_name;
            file = call->file;
            line = call->line;
        }
        const bool is_call_function = holds(symbol_, "4simt") && holds(symbol_, "4callI");
        frames.push_back(frame_of(file, line, is_call_function, holds(symbol_, "UlDpOT_E")));
        return frames;
    }

    /// The same as device_frames() in check/core/symbols.cpp.
    std::vector<Frame> of_the_program(const std::vector<Frame>& all) const {
        std::vector<Frame> frames;
        for (const Frame& frame : all) {
            if (frame.is_launch) {
                if (frames.size() > 1 && frames.back().is_statement) frames.pop_back();
                break;
            }
            if (!frame.is_foreign) frames.push_back(frame);
        }
        if (frames.size() > 1 && holds(symbol_, "UlDpOT_E") && holds(symbol_, "DTcvv")) frames.pop_back();
        return frames;
    }

    /// The number of the record of this place; 0 if there is nothing to record, as in the C++ library's own code.
    std::size_t record_at(std::size_t i) {
        const std::vector<Frame> all = frames_at(i), frames = of_the_program(all);
        const unsigned file = all.front().file;
        const std::string_view path = file < paths_.size() ? std::string_view(paths_[file]) : std::string_view();
        if (frames.empty() && holds(path, "/include/c++/")) return 0;
        unsigned flags = 0;
        if (all.front().is_statement) flags |= in_launch_statement;
        if (holds(path, "/include/")) flags |= in_system_header;
        if (frames.empty()) return record_of({0, flags, 0});
        note_kernel(frames.back().name);
        std::size_t caller = 0;
        for (std::size_t k = frames.size(); k-- > 0;) {
            caller = record_of({frames[k].file, (frames[k].line & line_mask) | (k == 0 ? flags : 0), caller});
        }
        return caller;
    }

    /// A kernel may have no symbol of its own, for it is inlined into the function that launches it.
    void note_kernel(std::string_view name) {
        if (name.empty()) return;
        has_one_kernel_ = has_one_kernel_ && (kernel_.empty() || kernel_ == name);
        kernel_ = name;
    }

    std::size_t record_of(const Place& place) {
        const auto [position, is_new] = places_.try_emplace(place, records_ + 1);
        if (is_new) {
            ++records_;
            if (place.file > 0) files_used_[place.file] = paths_[place.file];
        }
        return position->second;
    }

    /// A no-op that encodes the distance from itself to the record. On x86-64: nopl distance(%rbx). On AArch64: movn
    /// xzr, #distance / 4.
    void mark(std::size_t i, bool is_arm) {
        const std::size_t record = record_at(i);
        if (record == 0) return;
        const std::string from = ".Lsimt_at" + std::to_string(i);
        const std::string distance = ".Lsimt_place" + std::to_string(record) + " - " + from;
        marked_ += from + ":\n";
        marked_ += is_arm ? "\t.long 0x9280001f + (" + distance + ") * 8\n"
                          : "\t.byte 0x0f, 0x1f, 0x83\n\t.long " + distance + "\n";
    }

    void end_function() {
        in_function_ = false;
        if (places_.empty()) return;
        const std::string start = ".Lsimt_places" + std::to_string(function_);
        const bool has_name = !kernel_.empty() && has_one_kernel_;
        const std::string name = has_name ? label_of_name(kernel_) + " - " + start : "0";
        marked_ += "\t.balign 4\n" + start + ":\n\t.long " + name + "\n";
        for (const auto& [place, number] : places_) {
            const std::string record = ".Lsimt_place" + std::to_string(number);
            const std::string file =
                place.file == 0 ? "0" : ".Lsimt_file" + std::to_string(place.file) + " - " + record;
            const std::string caller =
                place.caller == 0 ? "0" : ".Lsimt_place" + std::to_string(place.caller) + " - " + record;
            marked_ += record + ":\n\t.long " + file + ", " + std::to_string(place.line) + ", " + caller + ", " +
                       start + " - " + record + "\n";
        }
    }

    std::string label_of_name(std::string_view name) {
        const auto [position, is_new] = kernel_names_.try_emplace(name, kernel_names_.size());
        return ".Lsimt_kernel" + std::to_string(position->second);
    }

    std::vector<std::string_view> lines_;
    InlinedCalls information_;
    std::string marked_;
    std::vector<bool> is_checked_;
    std::vector<std::string> paths_;  // of the files, by their numbers
    std::string folder_;
    std::map<unsigned, std::string> files_used_;
    std::map<std::string_view, std::size_t> kernel_names_;
    std::map<Place, std::size_t> places_;  // of this function, with their records' numbers
    std::size_t records_ = 0, function_ = 0, functions_ = 0;
    bool in_function_ = false;
    unsigned file_ = 0, line_ = 0;  // of the next instruction
    std::string_view symbol_;       // of the function
    std::string_view kernel_;       // the kernel inlined into it, if it is the launch of one
    bool has_one_kernel_ = true;
};

}  // namespace

bool is_foreign_file(std::string_view path) {
    constexpr std::string_view folders[] = {"common/simt/", "lib/gridutils/include/", "/usr/include/", "/usr/lib/",
                                            "/include/c++/"};
    return std::any_of(std::begin(folders), std::end(folders),
                       [&](std::string_view folder) { return holds(path, folder); });
}

bool SourceFiles::is_emulation(std::string_view path) {
    constexpr std::string_view headers[] = {"simt/textures.hpp", "simt/rounding.hpp", "simt/conversions.hpp",
                                            "simt/small_float"};
    return std::any_of(std::begin(headers), std::end(headers),
                       [&](std::string_view header) { return holds(path, header); });
}

std::string mark_places(std::string_view assembly) { return PlaceMarks(assembly).write(); }

}  // namespace simcc
