// Reads a report of compute-sanitizer, or of the checked simulator, whose form is the same: lines that begin with
// "========= ", and at the end a summary. Everything else in the file is the program's own output.
#pragma once

#include <regex.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "common/io/text.hpp"

namespace BACKEND {

// Whether an extended regular expression, as of grep -E, matches the beginning of a line.
inline bool begins_with(const std::string& line, const std::string& pattern) {
    regex_t expression;
    if (regcomp(&expression, text("^({})", pattern).c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
    const bool matches = regexec(&expression, line.c_str(), 0, nullptr, 0) == 0;
    regfree(&expression);
    return matches;
}

// The tool that writes a finding with this first line; "" if the line begins none.
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

    const std::vector<std::string>& findings() const { return findings_; }  // their first lines
    // If the program failed, a report without findings means nothing.
    bool is_complete() const { return has_summary_ && (!ended_early_ || errors_ > 0 || !findings_.empty()); }
    bool is_clean() const { return is_complete() && errors_ == 0 && findings_.empty(); }
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
        if (line.compare(0, prefix.size(), prefix) != 0) return;
        std::string content = line.substr(prefix.size());
        if (begins_with(content, " [^ ]")) content.erase(0, 1);  // as initcheck's "unused memory" begins
        lines_.push_back(content);
        if (!category_of(content).empty()) findings_.push_back(content);
        if (begins_with(content, "Target application returned an error")) ended_early_ = true;
        const std::string summary = "SUMMARY: ";
        // "ERROR SUMMARY: 2 errors", "RACECHECK SUMMARY: 1 hazard displayed (...)"; a LEAK SUMMARY is only a part.
        const std::size_t at = content.find(summary);
        if (at == std::string::npos || !begins_with(content, "(ERROR|RACECHECK) ")) return;
        has_summary_ = true;
        errors_ += std::strtol(content.c_str() + at + summary.size(), nullptr, 10);
    }

    std::vector<std::string> lines_, findings_;
    bool has_summary_ = false, ended_early_ = false;
    long errors_ = 0;
};

}  // namespace BACKEND
