// SPDX-License-Identifier: MIT
// simcc's changes to g++'s assembly of checked code, between the compiler and the assembler.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simcc {

/// The lines of a text, each with its newline.
std::vector<std::string_view> lines_of(std::string_view text);

/// The role of a line of assembly in a basic block.
enum class Role { entry, branch, end, other };
Role role_of(std::string_view line);

/// Whether a file is not the programmer's own: a header of the simulator, or of the system.
bool is_foreign_file(std::string_view path);

/// Where the lines of assembly come from: reads the compiler's .file and .loc.
class SourceFiles {
public:
    void read(std::string_view line) {
        constexpr std::string_view file = "\t.file ", place = "\t.loc ";
        if (line.starts_with(file) && line.size() > file.size() && line[file.size()] != '"') {
            const std::size_t number = number_in(line.substr(file.size()));
            if (files_.size() <= number) files_.resize(number + 1);
            files_[number] = {is_foreign_file(line), is_emulation(line)};
        } else if (line.starts_with(place)) {
            const std::size_t number = number_in(line.substr(place.size()));
            now_ = number < files_.size() ? files_[number] : File{};
        }
    }
    bool is_foreign() const { return now_.is_foreign; }
    /// Whether the arithmetic here stands for what a GPU does in one instruction.
    bool is_emulation() const { return now_.is_emulation; }

private:
    static std::size_t number_in(std::string_view text) {
        std::size_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    }

    static bool is_emulation(std::string_view path);

    struct File {
        bool is_foreign = false, is_emulation = false;
    };
    std::vector<File> files_;  // by their numbers
    File now_;
};

/// Marks the basic blocks that end in a branch. Every basic block begins with a call to __sanitizer_cov_trace_pc. If
/// the block ends with a conditional or indirect jump, this adds a no-op after the call that encodes the distance to
/// the jump. So the counters know every branch and its source line, even if all lanes always go the same way. A
/// distance of 0 marks a block of the simulator's own headers, whose branches do not count: a GPU has a single
/// instruction there. The assembly is for x86-64 or AArch64, whatever processor simcc itself runs on; that for other
/// processors is unchanged.
std::string mark_branches(std::string_view assembly);

/// Records what each basic block has to do: how many instructions of each class the program's part of it needs, the
/// simulator's own and the calls not counted, apart from floating-point arithmetic and functions of mathematics. A no-op behind those of mark_branches() and mark_places() holds the
/// numbers (check/core/symbols.cpp reads it). They are the host compiler's, so a GPU's differ: see check/predict.
std::string mark_work(std::string_view assembly);

/// Removes the calls to __sanitizer_cov_trace_pc from functions with a patchable entry (.LPFE). These are the
/// simulator's own, if compiled by g++ 11, which lacks an attribute for that (SIMT_WITHOUT_COVERAGE in
/// include/simt/identity.hpp).
std::string without_coverage(std::string_view assembly);

/// Replaces calls to operator delete by calls to the simulator's function (runtime/device_memory.cpp), because the
/// program's own operator, if it has one, cannot free memory of the device heap.
std::string with_heap_deletes(std::string_view assembly);

/// The compiler's assembly with 128 unused bytes after every uninitialized thread-local variable, such as __shared__
/// variables, and before and behind all other variables, such as __device__ ones. Sizes in the symbol table are
/// unchanged, so the checkers know where each variable ends.
std::string with_red_zones(const std::string& assembly);

// ---- the source lines of checked code, kept where no debugger's file is needed to read them

/// Records where each call and each jump of checked code comes from, so that counters and findings are the same in a
/// program without debug information. Behind a call and ahead of a jump this adds a no-op that holds the distance to a
/// record; the records follow each function (check/core/symbols.cpp reads both). A record names a file and a line of
/// the program and the record of the place that this code was inlined at, or says that all of it is the simulator's.
/// What it knows is what the compiler's debug information says, which must have comments (g++ -dA); they are removed.
std::string mark_places(std::string_view assembly);

}  // namespace simcc
