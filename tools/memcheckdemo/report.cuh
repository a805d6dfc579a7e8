// SPDX-License-Identifier: MIT
// Reads a report of compute-sanitizer, or of the checked simulator, whose form is the same: lines that begin with
// "========= ", and at the end a summary. Everything else in the file is the program's own output, whose row says
// which run the report is of. A run under a checker also says so before it begins, since it may not get to its row.
#pragma once

#include <regex.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "common/io/text.hpp"
#include "tools/memcheckdemo/watchdog.cuh"

namespace BACKEND {

// An extended regular expression, as of grep -E.
class RegularExpression {
public:
    explicit RegularExpression(const std::string& pattern) {
        if (regcomp(&expression_, pattern.c_str(), REG_EXTENDED) != 0)
            fail(Exit::usage, "'{}' is not a regular expression", pattern);
    }
    ~RegularExpression() { regfree(&expression_); }
    RegularExpression(const RegularExpression&) = delete;
    RegularExpression& operator=(const RegularExpression&) = delete;

    // What the whole expression and its groups match; empty if it does not match.
    std::vector<std::string> match(const std::string& line) const {
        std::vector<regmatch_t> places(expression_.re_nsub + 1);
        if (regexec(&expression_, line.c_str(), places.size(), places.data(), 0) != 0) return {};
        std::vector<std::string> groups;
        for (const regmatch_t& place : places)
            groups.push_back(place.rm_so < 0 ? "" : line.substr(place.rm_so, place.rm_eo - place.rm_so));
        return groups;
    }

private:
    regex_t expression_;
};

// Whether an expression matches the beginning of a line.
inline bool begins_with(const std::string& line, const std::string& pattern) {
    return !RegularExpression(text("^({})", pattern)).match(line).empty();
}

// The tool that writes a finding with this first line; "" if the line does not begin one.
inline std::string category_of(const std::string& line) {
    static const struct {
        const char* category;
        const char* first_line;
    } forms[] = {
        {"memcheck",
         "Invalid |Program hit |Leaked |Malloc/Free [Ee]rror|Stack overflow|"
         "Error: process didn't terminate|Address .* is misaligned|Warp Illegal|Unknown Error"},
        {"racecheck", "(Error|Warning): (Race|.*hazard)"},
        {"initcheck", "Uninitialized |Unused memory|Host API (uninitialized )?memory access"},
        {"synccheck", "Barrier error|Deadlock"},
    };
    for (const auto& form : forms)
        if (begins_with(line, form.first_line)) return form.category;
    return "";
}

// How a report must name its run.
inline std::string run_name(const std::string& plant, bool fixed) {
    return text("{} {}", plant, fixed ? "fixed" : "faulty");
}

// compute-sanitizer loads a library of its own into the process.
inline bool under_compute_sanitizer() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("libsanitizer-collection") != std::string::npos) return true;
    return false;
}

// Says in a checker's report, that is, where the checker writes it, which run it is of.
inline void announce_run(const std::string& name, bool checks) {
    std::FILE* const report = checks ? stderr : under_compute_sanitizer() ? stdout : nullptr;
    if (report == nullptr) return;
    std::fprintf(report, "========= memcheckdemo: %s\n", name.c_str());
    std::fflush(report);
}

class Report {
public:
    // "-" is standard input. Throws Failure(bad_input) if the file cannot be read.
    explicit Report(const std::string& path) {
        std::ifstream file;
        if (path != "-") file.open(path);
        std::istream& in = path == "-" ? std::cin : file;
        if (!in) fail(Exit::bad_input, "cannot read the report '{}'; name a file, or - for standard input", path);
        for (std::string line; std::getline(in, line);) take(line);
    }
    // The report itself.
    explicit Report(std::istream& in) {
        for (std::string line; std::getline(in, line);) take(line);
    }

    // Leaves out a finding that names this function. False if there is none.
    bool leave_out(const std::string& function) {
        for (std::size_t i = findings_.size(); i-- > 0;) {
            const auto begin = lines_.begin() + begins_[i];
            const auto end = i + 1 < findings_.size() ? lines_.begin() + begins_[i + 1] : lines_.end();
            const auto names = [&](const std::string& line) { return line.find(function) != std::string::npos; };
            if (std::none_of(begin, end, names)) continue;
            findings_.erase(findings_.begin() + static_cast<std::ptrdiff_t>(i));
            begins_.erase(begins_.begin() + static_cast<std::ptrdiff_t>(i));
            --errors_;
            return true;
        }
        return false;
    }

    const std::vector<std::string>& findings() const { return findings_; }  // their first lines
    // The runs that it names, in the form of run_name(): one, if it names any.
    const std::vector<std::string>& runs() const { return runs_; }
    // Whether the checked simulator wrote it: it announces the run by itself, and has no heading.
    bool is_of_simulator() const { return announced_ && !has_heading_; }
    // Whether the watchdog has ended this plant under compute-sanitizer, whose report then ends as well.
    bool is_of_hang(const std::string& plant) const { return has_heading_ && hung_ == plant; }
    // If the program failed, a report without findings means nothing.
    bool is_complete() const { return has_summary_ && (!ended_early_ || errors_ > 0 || !findings_.empty()); }
    bool is_clean() const { return is_complete() && has_found_nothing(); }
    bool has_found_nothing() const { return errors_ == 0 && findings_.empty(); }
    long errors() const { return errors_; }

    // Whether some finding names the line. Reports show a file with more or fewer of its folders.
    bool names(const std::string& file, unsigned line) const {
        const std::string wanted = file.substr(file.rfind('/') + 1) + ":" + std::to_string(line);
        for (const std::string& shown : lines_) {
            const std::size_t at = shown.find(wanted);
            if (at == std::string::npos) continue;
            const char next = at + wanted.size() < shown.size() ? shown[at + wanted.size()] : ' ';
            if (next < '0' || next > '9') return true;
        }
        return false;
    }

private:
    void take(const std::string& line) {
        static const std::string prefix = "========= ";
        take_run(line);
        take_hang(line);
        if (line.compare(0, prefix.size(), prefix) != 0) return;
        std::string content = line.substr(prefix.size());
        if (begins_with(content, "COMPUTE-SANITIZER")) has_heading_ = true;
        if (begins_with(content, "memcheckdemo: ")) announced_ = true;
        if (begins_with(content, " [^ ]")) content.erase(0, 1);  // as initcheck's "unused memory" begins
        lines_.push_back(content);
        if (!category_of(content).empty()) {
            findings_.push_back(content);
            begins_.push_back(static_cast<std::ptrdiff_t>(lines_.size()) - 1);
        }
        if (begins_with(content, "Target application returned an error")) ended_early_ = true;
        const std::string summary = "SUMMARY: ";
        // "ERROR SUMMARY: 2 errors", "RACECHECK SUMMARY: 1 hazard displayed (...)"; a LEAK SUMMARY is only a part.
        const std::size_t at = content.find(summary);
        if (at == std::string::npos || !begins_with(content, "(ERROR|RACECHECK) ")) return;
        has_summary_ = true;
        errors_ += std::strtol(content.c_str() + at + summary.size(), nullptr, 10);
    }

    // A plant's name followed by its version: in the announcement, or in the program's row of any format.
    void take_run(const std::string& line) {
        static const RegularExpression form(
            "(^|[^a-z0-9-])([a-z0-9]+(-[a-z0-9]+)+)(\",\"version\":\"|[][:space:]|,]+)(faulty|fixed)([^a-z]|$)");
        const std::vector<std::string> groups = form.match(line);
        if (groups.empty()) return;
        const std::string run = run_name(groups[2], groups[5] == "fixed");
        if (std::find(runs_.begin(), runs_.end(), run) == runs_.end()) runs_.push_back(run);
    }

    // "memcheckdemo: syncwarp-missing-lane: ended by the watchdog after 9 seconds: it hangs", maybe in color.
    void take_hang(const std::string& line) {
        static const RegularExpression form(text("memcheckdemo: ([a-z0-9-]+): {}", ended_by_watchdog));
        const std::vector<std::string> groups = form.match(line);
        if (!groups.empty()) hung_ = groups[1];
    }

    std::string hung_;  // the plant that the watchdog has ended
    std::vector<std::string> lines_, findings_, runs_;
    std::vector<std::ptrdiff_t> begins_;  // where each finding begins among the lines
    bool has_summary_ = false, ended_early_ = false, has_heading_ = false, announced_ = false;
    long errors_ = 0;
};

}  // namespace BACKEND
