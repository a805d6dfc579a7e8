// SPDX-License-Identifier: MIT
#pragma once
// The steps of a compilation that simcc does itself: from preprocessed CUDA to C++, and, for the checkers, from assembly
// to assembly with marks.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/io/process.hpp"
#include "common/io/progress.hpp"
#include "common/simt/driver/assembly.hpp"
#include "common/simt/driver/foreign_headers.hpp"
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
        if (options_.verbose)
            std::fprintf(stderr, "# rewrite %s to %s%s\n", from.c_str(), to.c_str(), shown_architectures().c_str());
        if (options_.dry_run) return;
        const std::string preprocessed = read_file(from);
        results_.refuse_included(preprocessed);
        refuse_absent_headers(preprocessed);
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

    /// Throws StepFailed after a message.
    void refuse_absent_headers(const std::string& preprocessed) {
        const std::string messages = messages_about_absent_headers(preprocessed, toolchain_.headers);
        if (messages.empty()) return;
        progress_.hide();
        std::fputs(messages.c_str(), stderr);
        throw StepFailed();
    }

    /// How the lanes of the kernels in a preprocessed source advance. Says so where code before Volta decides it.
    Lanes lanes_of(const std::string& preprocessed) {
        if (options_.lanes != Lanes::by_architecture || options_.dry_run) return options_.lanes;
        const std::string text = read_file(preprocessed);
        const std::optional<Location> place = reliance_on_lockstep(text, toolchain_.headers);
        if (!place) return options_.lanes;
        constexpr unsigned volta = 700;
        const bool is_older = options_.cuda_arch > 0 && options_.cuda_arch < volta, can_obey = can_check(toolchain_);
        const bool obeys = is_older && can_obey;
        if (options_.no_warnings) return obeys ? Lanes::lockstep : options_.lanes;
        const std::string architecture = is_older ? " (-arch sm_" + std::to_string(options_.cuda_arch / 10) + ")" : "";
        progress_.hide();
        std::fprintf(stderr, "%s:%zu:%zu: warning: this depends on the lockstep of warps before Volta%s: %s\n",
                     std::string(place->file).c_str(), place->line, place->column, architecture.c_str(),
                     obeys      ? "compiled as with --schedule lockstep"
                     : can_obey ? "add __syncwarp(), or compile with --schedule lockstep"
                                : "it needs --schedule lockstep, and that needs g++ (CXX)");
        return obeys ? Lanes::lockstep : options_.lanes;
    }

    /// Whether the file that was rewritten last has kernels whose threads run in loops.
    bool has_lane_loops() const { return has_lane_loops_; }

    /// Rewrites a file again, whose warnings have been printed.
    void rewrite_on_stacks(const std::string& from, const std::string& to) const {
        if (options_.verbose)
            std::fprintf(stderr, "# rewrite %s to %s, without loops over threads\n", from.c_str(), to.c_str());
        DeviceCode code = device_code();
        code.lanes = LanesRun::on_stacks;
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
    /// As CMake looks for them.
    std::string shown_architectures() const {
        std::string text;
        for (const std::string& name : options_.architectures) text += " -arch compute_" + name;
        return text.empty() ? " -arch compute_" + std::to_string(options_.cuda_arch / 10) : text;
    }

    Rewritten rewrite_text(const std::string& text) const { return rewrite(text, toolchain_.headers, device_code()); }

    DeviceCode device_code() const {
        return {options_.relocatable, is_instrumented(options_), options_.stage == Stage::module,
                options_.permits_any_ptx, options_.lanes_run};
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
