// SPDX-License-Identifier: MIT
#pragma once
// The steps of a compilation that simcc does itself: from preprocessed CUDA to C++, and, for the checkers, from assembly
// to assembly with marks.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/io/process.hpp"
#include "common/io/progress.hpp"
#include "common/simt/driver/assembly.hpp"
#include "common/simt/driver/options.hpp"
#include "common/simt/driver/process.hpp"
#include "common/simt/driver/toolchain.hpp"
#include "common/simt/rewrite/cuda_to_cxx.hpp"
#include "tools/simcc/results.hpp"

namespace simcc {

/// A step that failed and has already reported why.
struct StepFailed {};

inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    if (!file.write(text.data(), static_cast<std::streamsize>(text.size())).flush()) {
        throw std::runtime_error(path + ": cannot be written");
    }
}

/// Its references are to what the whole chain of commands shares.
class Translation {
public:
    Translation(const Options& options, const Toolchain& toolchain, Progress& progress,
                const TemporaryFolder& temporary, const Results& results)
        : options_(options), toolchain_(toolchain), progress_(progress), temporary_(temporary), results_(results) {}

    /// Throws StepFailed after messages about errors.
    void rewrite_file(const std::string& source, const std::string& from, const std::string& to) {
        if (options_.verbose) std::fprintf(stderr, "# rewrite %s to %s\n", from.c_str(), to.c_str());
        if (options_.dry_run) return;
        const std::string preprocessed = read_file(from);
        results_.refuse_included(preprocessed);
        Rewritten rewritten = rewrite_text(preprocessed);
        drop_unseen_by_host(source, rewritten.diagnostics);
        bool failed = false;
        for (const Diagnostic& message : rewritten.diagnostics) {
            const bool is_error = message.kind == Diagnostic::error || message.kind == Diagnostic::error_on_host;
            failed = failed || is_error;
            if (!is_error && options_.no_warnings) continue;
            progress_.hide();
            std::fprintf(stderr, "%s:%zu:%zu: %s: %s\n", message.file.c_str(), message.line, message.column,
                         is_error                           ? "error"
                         : message.kind == Diagnostic::note ? "note"
                                                            : "warning",
                         message.message.c_str());
        }
        if (failed) throw StepFailed();
        has_lane_loops_ = rewritten.text.find("::simt::LaneLoops") != rewritten.text.npos;
        write_file(to, rewritten.text);
    }

    /// Whether the file that was rewritten last has kernels whose threads run in loops.
    bool has_lane_loops() const { return has_lane_loops_; }

    /// Rewrites a file again, whose warnings have been printed.
    void rewrite_on_stacks(const std::string& from, const std::string& to) const {
        if (options_.verbose)
            std::fprintf(stderr, "# rewrite %s to %s, without loops over threads\n", from.c_str(), to.c_str());
        const DeviceCode code = {options_.relocatable, options_.checked, Lanes::on_stacks};
        write_file(to, rewrite(read_file(from), toolchain_.headers, code).text);
    }

    void mark_file(const std::string& from, const std::string& to) {
        if (options_.verbose)
            std::fprintf(stderr, "# mark the branches and places of %s in %s\n", from.c_str(), to.c_str());
        if (options_.dry_run) return;
        write_file(to, with_red_zones(with_heap_deletes(
                           mark_work(mark_branches(mark_places(without_coverage(read_file(from))))))));
    }

private:
    Rewritten rewrite_text(const std::string& text) const {
        return rewrite(text, toolchain_.headers, {options_.relocatable, options_.checked, options_.lanes});
    }

    /// Simulated kernels are compiled together with the host's code, so both see __CUDA_ARCH__ defined. An error in
    /// host code counts only if it remains when the macro is undefined, as in a compilation for the host.
    void drop_unseen_by_host(const std::string& source, std::vector<Diagnostic>& diagnostics) const {
        const auto on_host = [](const Diagnostic& message) { return message.kind == Diagnostic::error_on_host; };
        if (std::none_of(diagnostics.begin(), diagnostics.end(), on_host)) return;
        Options host = options_;
        host.cuda_arch = 0;
        host.dependencies.wanted = host.dependencies.only = false;
        host.compiler.push_back("-w");  // warnings were already printed
        const std::string text =
            output_of(preprocess_command(toolchain_, host, source, temporary_.file("simcc_definitions.h"), "", ""));
        const std::vector<Diagnostic> seen = rewrite_text(text).diagnostics;
        const auto is_unseen = [&](const Diagnostic& message) {
            return on_host(message) && std::find(seen.begin(), seen.end(), message) == seen.end();
        };
        diagnostics.erase(std::remove_if(diagnostics.begin(), diagnostics.end(), is_unseen), diagnostics.end());
    }

    bool has_lane_loops_ = false;
    const Options& options_;
    const Toolchain& toolchain_;
    Progress& progress_;
    const TemporaryFolder& temporary_;
    const Results& results_;
};

}  // namespace simcc
