// SPDX-License-Identifier: MIT
#include "common/simt/driver/places.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simt/driver/assembly.hpp"
#include "common/simt/driver/inlined_calls.hpp"

namespace simcc {
namespace {

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
    static std::vector<Frame> of_the_program(const std::vector<Frame>& all) {
        std::vector<Frame> frames;
        bool caller_is_foreign = true;
        for (const Frame& frame : all) {
            if (frame.is_launch) {
                if (!caller_is_foreign && frames.size() > 1) frames.pop_back();
                break;
            }
            caller_is_foreign = frame.is_foreign;
            if (!frame.is_foreign) frames.push_back(frame);
        }
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

std::string mark_places(std::string_view assembly) { return PlaceMarks(assembly).write(); }

}  // namespace simcc
