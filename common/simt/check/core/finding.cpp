// SPDX-License-Identifier: MIT
#include "common/simt/check/core/finding.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/program_image.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

// The findings of one tool with the same title and place.
struct Collected {
    Finding finding;  // the most severe of them, as reported by the first thread
    uint64_t count = 0, order = 0;
    bool is_printed = false;
};

namespace {

// Every line of a report begins with this.
constexpr const char* prefix = "========= ";

std::string name_of(const Extent& at) {
    return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

// "thread (1,0,0) in block (0,0,0)"
std::string name_of(const ThreadName& who) {
    const std::string thread =
        who.warp ? "a thread of warp " + std::to_string(*who.warp) : "thread " + name_of(who.thread);
    return thread + " in block " + name_of(who.block);
}

// "tile<float>" of "void tile<float>(float const*, float*)".
std::string_view plain_name(std::string_view name) {
    name = name.substr(0, name.find('('));
    return name.substr(name.find_last_of(" :") + 1);
}

// A place in device code, resolved.
struct Location {
    std::string function, file;
    unsigned line = 0;
    uintptr_t offset = 0;
    std::vector<Frame> callers;  // from the innermost function on, if that is not the kernel itself

    Location(const Place& place, const std::string& kernel) : function(kernel) {
        if (place.file) {
            const std::string path = place.file;
            file = path.substr(path.rfind('/') + 1);
            line = place.line;
        }
        if (!place.pc) return;
        const Symbol& symbol = symbol_of(place.pc);
        std::vector<Frame> frames = device_frames(symbol);
        offset = symbol.function_offset;
        if (frames.empty()) return;
        if (line == 0) {
            file = frames.front().file;
            line = frames.front().line;
        }
        const std::string& outermost = frames.back().function;
        if (plain_name(outermost).substr(0, plain_name(kernel).find('<')) ==
            plain_name(kernel).substr(0, plain_name(kernel).find('<'))) {
            function = outermost;
        } else if (!frames.front().function.empty()) {
            function = frames.front().function;
        } else if (!outermost.empty()) {
            function = outermost;
        }
        if (frames.size() > 1) callers = std::move(frames);
        // (Without debug information, functions that are inlined have no names.)
        std::erase_if(callers, [](const Frame& frame) { return frame.function.empty(); });
    }

    // "tile(float*)+0x1a0 in a.cu:12"
    std::string text() const {
        std::string result = function;
        if (offset) result += "+" + hexadecimal(offset);
        return line ? result + " in " + file + ":" + std::to_string(line) : result;
    }
    std::string key() const { return file + ":" + std::to_string(line); }
};

// In the order of blocks and threads.
auto rank_of(const Finding& finding) {
    return rank_of(finding.sides.empty() ? ThreadName() : finding.sides.front().who);
}

class Findings {
public:
    Collected* add(Finding&& finding) {
        std::string key = key_of(finding);
        const std::lock_guard lock(mutex_);
        const auto [position, is_new] = all_.try_emplace(std::move(key));
        Collected& collected = position->second;
        collected.count += finding.times;
        if (is_new) collected.order = all_.size();
        if (!is_new && !speaks_for(finding, collected.finding)) return &collected;
        // A printed finding is printed again only if it has become more severe.
        if (is_new || (collected.is_printed && finding.severity < collected.finding.severity)) {
            waiting_.push_back(&collected);
        }
        if (!is_new) --totals_[static_cast<int>(collected.finding.severity)];
        ++totals_[static_cast<int>(finding.severity)];
        collected.finding = std::move(finding);
        return &collected;
    }

    void count(Collected& collected) {
        const std::lock_guard lock(mutex_);
        ++collected.count;
    }

    void print_waiting() {
        const std::lock_guard lock(mutex_);
        std::sort(waiting_.begin(), waiting_.end(), [](const Collected* one, const Collected* other) {
            return std::tuple(rank_of(one->finding), one->order) < std::tuple(rank_of(other->finding), other->order);
        });
        for (Collected* collected : waiting_) {
            if (printed_ == settings().print_limit) break;
            ++printed_;
            collected->is_printed = true;
            print(*collected);
        }
        waiting_.clear();
        flush();
    }

    uint64_t print_summary() {
        print_waiting();
        const std::lock_guard lock(mutex_);
        const uint64_t errors = totals_[static_cast<int>(Severity::error)];
        const uint64_t warnings = totals_[static_cast<int>(Severity::warning)];
        const auto is_hidden = [](const auto& entry) { return !entry.second.is_printed; };
        if (const auto hidden = std::count_if(all_.begin(), all_.end(), is_hidden)) {
            line("", counted(static_cast<uint64_t>(hidden), "finding") + " not shown: the limit is " +
                         std::to_string(settings().print_limit));
        }
        if (settings().memcheck && !ProgramImage::instance().has_symbols()) {
            line("",
                 "The program has no symbol table, so accesses beyond a variable may go unnoticed; strip -g keeps it");
        }
        line("", "ERROR SUMMARY: " + counted(errors, "error") +
                     (warnings ? ", " + counted(warnings, "warning") : std::string()));
        flush();
        return errors + warnings;
    }

private:
    static std::string key_of(const Finding& finding) {
        std::string key = std::to_string(static_cast<int>(finding.tool)) + finding.title + '\n' + finding.kernel;
        if (finding.sides.empty()) {
            const std::vector<std::string> frames = describe_backtrace(finding.backtrace);
            if (!frames.empty()) key += '\n' + frames.front();
        }
        for (const Side& side : finding.sides) key += '\n' + side.what + Location(side.place, finding.kernel).key();
        return key;
    }

    void line(const char* indent, const std::string& text) { text_ += prefix + std::string(indent) + text + '\n'; }

    void print(const Collected& collected) {
        const Finding& finding = collected.finding;
        if (finding.sides.size() > 1) {
            print_race(collected);
        } else {
            const char* const severity = finding.severity == Severity::warning ? "Warning: "
                                         : finding.severity == Severity::info  ? "Info: "
                                                                               : "";
            line("", severity + finding.title);
            for (const Side& side : finding.sides) print_place(side, finding.kernel, collected.count);
        }
        for (const std::string& detail : finding.details) line("    ", detail);
        for (const Side& side : finding.sides) print_callers(side, finding.kernel);
        print_backtrace(finding.backtrace, finding.backtrace_time);
        print_backtrace(backtrace_of_allocation(finding.allocation_serial), "at allocation time");
        text_ += std::string(prefix) + '\n';
        for (const Side& side : finding.sides) note_missing_lines(side.place.pc);
        for (const void* pc : finding.backtrace) note_missing_lines(pc);
    }

    void note_missing_lines(const void* pc) {
        const std::string note = pc ? note_on_missing_lines(symbol_of(pc).lacks_lines_of) : "";
        if (!note.empty()) line("", note);
    }

    void print_place(const Side& side, const std::string& kernel, uint64_t count) {
        line("    ", "at " + Location(side.place, kernel).text());
        const std::string more = count > 1 ? ", and " + counted(count - 1, "more time") : "";
        line("    ", "by " + name_of(side.who) + more);
    }

    void print_race(const Collected& collected) {
        const Finding& finding = collected.finding;
        static constexpr const char* severities[] = {"Error: ", "Warning: ", "Info: "};
        std::string text = severities[static_cast<int>(finding.severity)] + finding.title + " between ";
        for (size_t i = 0; i < finding.sides.size(); ++i) {
            const Side& side = finding.sides[i];
            text += side.what + " at " + Location(side.place, finding.kernel).text();
            if (i + 1 == finding.sides.size()) text += " [" + counted(collected.count, "hazard") + "]";
            line(i == 0 ? "" : "    ", text);
            text = "and ";
        }
        for (const Side& side : finding.sides) {
            line("    ", side.what + " by " + name_of(side.who));
        }
    }

    void print_callers(const Side& side, const std::string& kernel) {
        for (const Frame& frame : Location(side.place, kernel).callers) {
            const std::string place = frame.file + ":" + std::to_string(frame.line);
            line("        ", "Device Frame: " + frame.function + " in " + place);
        }
    }

    void print_backtrace(const std::vector<const void*>& backtrace, const std::string& time) {
        const std::vector<std::string> frames = describe_backtrace(backtrace);
        if (!frames.empty()) line("    ", "Saved host backtrace up to driver entry point " + time);
        for (const std::string& frame : frames) line("        ", frame);
    }

    // Writes it in one piece, so that the program's own output cannot come between.
    void flush() {
        for (size_t done = 0; done < text_.size();) {
            const ssize_t count = write(STDERR_FILENO, text_.data() + done, text_.size() - done);
            if (count <= 0) break;
            done += static_cast<size_t>(count);
        }
        text_.clear();
    }

    std::mutex mutex_;
    std::map<std::string, Collected> all_;
    std::vector<Collected*> waiting_;  // not printed yet
    uint64_t totals_[3] = {};          // by severity
    uint64_t printed_ = 0;
    std::string text_;
};

// Never destroyed: a program's threads may still run when the program ends.
Findings& findings() {
    static Findings& all = *new Findings;
    return all;
}

}  // namespace

Collected* report(Finding finding) {
    const Uninterrupted section;
    BlockCheck* const check = std::exchange(current_check, nullptr);  // the report itself is not checked
    if (check && finding.backtrace.empty()) {
        finding.backtrace = check->launch().host_backtrace;
        finding.backtrace_time = "at kernel launch time";
    }
    Collected* const collected = findings().add(std::move(finding));
    current_check = check;
    return collected;
}

void report_again(Collected* collected) {
    const Uninterrupted section;
    findings().count(*collected);
}

void print_findings() { findings().print_waiting(); }

uint64_t print_summary() { return findings().print_summary(); }

// ---- where memory was allocated

namespace {

struct AllocationLog {
    std::mutex mutex;
    std::unordered_map<uint64_t, std::vector<const void*>> backtraces;  // by serial number
};

AllocationLog& allocation_log() {
    static AllocationLog& log = *new AllocationLog;
    return log;
}

}  // namespace

void log_allocation(uint64_t serial) {
    AllocationLog& log = allocation_log();
    auto backtrace = host_backtrace();
    const std::lock_guard lock(log.mutex);
    log.backtraces[serial] = std::move(backtrace);
}

std::vector<const void*> backtrace_of_allocation(uint64_t serial) {
    AllocationLog& log = allocation_log();
    const std::lock_guard lock(log.mutex);
    const auto found = log.backtraces.find(serial);
    return found == log.backtraces.end() ? std::vector<const void*>() : found->second;
}

}  // namespace simt::check
