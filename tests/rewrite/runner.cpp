// SPDX-License-Identifier: MIT
// rewrite-test: the passes of simcc's rewriter, one by one.
//
//     rewrite-test FILE...            runs the cases in each FILE, named PASS.txt, and prints TAP
//     rewrite-test --launches FILE    prints file, line and column of each launch in preprocessed text
//
// A case is a title, the text that goes into the pass, what comes out, and what is said about it:
//     === a launch has a configuration
//     k<<<1, 2>>>(3);
//     ---
//     ...
//     --- 1:2: error: ...
// The line markers that follow a replacement are left out of the comparison; that each semicolon keeps its line and
// column is checked for every case.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simt/rewrite/cuda_to_cxx.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace {

using namespace simcc;

/// What the passes share.
struct Text {
    Source source;
    Braces braces{source};
    Functions functions{source, braces};
    KernelSignatures signatures{source, braces};
    ExecutionSpaces spaces{source, braces, functions};
    Edits edits{source};

    explicit Text(std::string_view text) : source(text, "") {}
};

const std::map<std::string, std::function<void(Text&)>> passes = {
    {"builtin_variables",
     [](Text& text) { rewrite_builtin_variables(text.source, text.braces, text.spaces, text.edits); }},
    {"attributes", [](Text& text) { rewrite_attributes(text.source, text.edits); }},
    {"thread_groups", [](Text& text) { rewrite_thread_groups(text.source, text.edits); }},
    {"shared_memory", [](Text& text) { rewrite_shared_memory(text.source, text.braces, text.edits); }},
    {"shared_indices", [](Text& text) { rewrite_shared_indices(text.source, text.spaces, text.edits); }},
    {"qualifiers", [](Text& text) { rewrite_qualifiers(text.source, text.braces, {}, text.edits); }},
    {"specifiers", [](Text& text) { rewrite_specifiers(text.source, text.edits); }},
    {"signatures", [](Text& text) { rewrite_signatures(text.source, text.signatures, text.edits); }},
    {"module_kernels", [](Text& text) { rewrite_module_kernels(text.source, text.signatures, text.edits); }},
    {"kernel_facts", [](Text& text) { rewrite_kernel_facts(text.source, text.braces, text.edits); }},
    {"allocations", [](Text& text) { rewrite_allocations(text.source, text.edits); }},
    {"early_returns", [](Text& text) { rewrite_early_returns(text.source, text.braces, text.edits); }},
    {"local_arrays", [](Text& text) { rewrite_local_arrays(text.source, text.braces, text.spaces, text.edits); }},
    {"inline_assembly", [](Text& text) { rewrite_inline_assembly(text.source, text.spaces, true, text.edits); }},
    {"lane_loops", [](Text& text) { rewrite_lane_loops(text.source, text.braces, true, text.edits); }},
    {"waiting_loops", [](Text& text) { rewrite_waiting_loops(text.source, text.braces, text.edits); }},
    {"library_calls", [](Text& text) { rewrite_library_calls(text.source, text.functions, text.spaces, text.edits); }},
    {"lone_additions", [](Text& text) { rewrite_lone_additions(text.source, text.braces, text.edits); }},
    {"removed_names", [](Text& text) { rewrite_removed_names(text.source, text.braces, text.functions, text.edits); }},
    {"lenient_names", [](Text& text) { rewrite_lenient_names(text.source, text.braces, text.edits); }},
    {"casts", [](Text& text) { rewrite_casts(text.source, text.braces, text.spaces, text.edits); }},
    {"members", [](Text& text) { rewrite_members(text.source, text.braces, text.edits); }},
    {"device_new", [](Text& text) { rewrite_device_new(text.source, text.spaces, text.edits); }},
    {"implicit_conversions",
     [](Text& text) { rewrite_implicit_conversions(text.source, text.braces, text.spaces, text.edits); }},
    {"shifts", [](Text& text) { rewrite_shifts(text.source, text.braces, text.spaces, text.edits); }},
    {"kernel_pointers",
     [](Text& text) { rewrite_kernel_pointers(text.source, text.functions, text.spaces, text.edits); }},
    {"launches",
     [](Text& text) { rewrite_launches(text.source, text.braces, text.functions, text.signatures, text.edits); }},
    {"refusals",
     [](Text& text) { refuse_what_cuda_forbids(text.source, text.braces, text.functions, text.spaces, text.edits); }},
};

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Case {
    std::string title, input, output;
    std::vector<std::string> messages;
};

std::vector<Case> read_cases(const std::string& path) {
    std::vector<Case> cases;
    std::istringstream lines(read(path));
    std::string* part = nullptr;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("=== ", 0) == 0) {
            cases.push_back({line.substr(4), "", "", {}});
            part = &cases.back().input;
        } else if (cases.empty()) {
            continue;  // the file's head
        } else if (line == "---") {
            part = &cases.back().output;
        } else if (line.rfind("--- ", 0) == 0) {
            cases.back().messages.push_back(line.substr(4));
        } else {
            *part += line + '\n';
        }
    }
    return cases;
}

/// The text without line markers and the blanks that follow them.
std::string without_markers(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t marker = text.find("\n# ", at);
        result.append(text, at, marker - at);
        if (marker == std::string::npos) break;
        const std::size_t line_end = text.find('\n', marker + 1);
        at = line_end == std::string::npos ? text.size() : text.find_first_not_of(' ', line_end + 1);
        if (at == std::string::npos) at = text.size();
    }
    return result;
}

/// The places of the semicolons.
std::set<std::pair<std::size_t, std::size_t>> places(const Source& source) {
    std::set<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != ";") continue;
        const Location place = source.locate(source.token(i).begin);
        found.insert({place.line, place.column});
    }
    return found;
}

/// What is wrong with a case, or nothing.
std::string fault(const Case& expected, const std::function<void(Text&)>& pass) {
    const std::string input = "# 1 \"case.cu\"\n" + expected.input;
    Text text(input);
    pass(text);
    const std::string output = text.edits.apply();
    std::string seen = without_markers(output.substr(output.find('\n') + 1));
    if (seen.empty() || seen.back() != '\n') seen += '\n';  // a marker's blanks behind the last line
    if (seen != expected.output) return "expected:\n" + expected.output + "seen:\n" + seen;
    std::vector<std::string> messages;
    for (const Diagnostic& message : text.edits.diagnostics()) {
        const char* kind = message.kind == Diagnostic::note      ? "note"
                           : message.kind == Diagnostic::warning ? "warning"
                           : message.kind == Diagnostic::error   ? "error"
                                                                 : "error on the host";
        messages.push_back(std::to_string(message.line) + ":" + std::to_string(message.column) + ": " + kind + ": " +
                           message.message);
    }
    if (messages != expected.messages) {
        std::string list = "messages:\n";
        for (const std::string& message : messages) list += message + '\n';
        return list;
    }
    const auto before = places(text.source), after = places(Source(output, ""));
    for (const auto& [line, column] : before) {
        if (after.count({line, column}) != 0) continue;
        return "the ';' at " + std::to_string(line) + ":" + std::to_string(column) + " has moved:\n" + output;
    }
    return "";
}

int run_cases(int count, char** files) {
    int number = 0, failed = 0;
    for (int i = 0; i < count; ++i) {
        const auto pass = passes.find(std::filesystem::path(files[i]).stem());
        if (pass == passes.end()) throw std::runtime_error(std::string(files[i]) + ": no pass has this name");
        for (const Case& expected : read_cases(files[i])) {
            const std::string what = fault(expected, pass->second);
            std::printf("%sok %d %s: %s\n", what.empty() ? "" : "not ", ++number, pass->first.c_str(),
                        expected.title.c_str());
            failed += !what.empty();
            if (!what.empty()) std::printf("%s\n", what.c_str());
        }
    }
    std::printf("1..%d\n", number);
    return failed != 0 || number == 0;
}

int print_launches(const std::string& path) {
    const std::string text = read(path);
    const Source source(text, "");
    for (const Launch& launch : find_launches(source)) {
        const Location place =
            source.locate(source.token(launch.kernel == Source::none ? launch.open : launch.kernel).begin);
        std::printf("%s:%zu:%zu\n", std::string(place.file).c_str(), place.line, place.column);
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        if (count == 3 && std::string(arguments[1]) == "--launches") return print_launches(arguments[2]);
        return run_cases(count - 1, arguments + 1);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rewrite-test: %s\n", error.what());
        return 2;
    }
}
