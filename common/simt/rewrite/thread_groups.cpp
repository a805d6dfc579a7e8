// SPDX-License-Identifier: MIT
// Cooperative groups that are the whole block, or whole warps, become CUDA's built-in functions, which the other passes
// know:
//     cg::thread_block block = cg::this_thread_block();          ->   ;
//     cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
//     v += warp.shfl_down(v, 16);                                ->   v += __shfl_down_sync(0xffffffff, v, 16);
//     cg::sync(block);                                           ->   __syncthreads();
//     __device__ void f(cg::thread_block block)                  ->   __device__ void f(::simt::ThreadBlock block)
// A warp with a use that is not listed below stays as it is. A block is an object without data: its uses are replaced
// one by one.
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace thread_groups {
namespace {

constexpr std::string_view rank = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))";
constexpr std::string_view threads = "(blockDim.x * blockDim.y * blockDim.z)";

/// What a member function of a group becomes: with `arguments`, a call whose first arguments are these.
struct Member {
    std::string_view name;
    std::string text;
    bool has_arguments = false;
};

const std::vector<Member> block_members = {
    {"sync", "__syncthreads()"},           {"thread_rank", std::string(rank)},  {"size", std::string(threads)},
    {"num_threads", std::string(threads)}, {"thread_index", "dim3(threadIdx)"}, {"group_index", "dim3(blockIdx)"},
    {"group_dim", "dim3(blockDim)"},       {"dim_threads", "dim3(blockDim)"},
};

const std::vector<Member> warp_members = {
    {"sync", "__syncwarp()"},
    {"thread_rank", "(" + std::string(rank) + " % 32)"},
    {"meta_group_rank", "(" + std::string(rank) + " / 32)"},
    {"meta_group_size", "((" + std::string(threads) + " + 31) / 32)"},
    {"size", "32u"},
    {"num_threads", "32u"},
    {"shfl", "__shfl_sync(0xffffffff, ", true},
    {"shfl_up", "__shfl_up_sync(0xffffffff, ", true},
    {"shfl_down", "__shfl_down_sync(0xffffffff, ", true},
    {"shfl_xor", "__shfl_xor_sync(0xffffffff, ", true},
    {"any", "__any_sync(0xffffffff, ", true},
    {"all", "__all_sync(0xffffffff, ", true},
    {"ballot", "__ballot_sync(0xffffffff, ", true},
};

/// The tokens [first, last).
struct Range {
    std::size_t first, last;
};

/// A use of a group that has a replacement.
struct Use {
    Range tokens;
    std::string text;
};

class ThreadGroups {
public:
    ThreadGroups(const Source& source, Edits& edits) : source_(source), edits_(edits) {}

    void rewrite() {
        for (std::size_t i = 0; i < source_.size(); ++i) {
            if (source_[i] == "this_thread_block") {
                visit_block(i);
            } else if (source_[i] == "tiled_partition") {
                visit_warp(i);
            } else if (source_[i] == "thread_block") {
                visit_parameter(i);
            }
        }
    }

private:
    /// `cg::thread_block block = cg::this_thread_block();`, with the function's name at token i.
    void visit_block(std::size_t i) {
        if (source_[i + 1] != "(" || source_[i + 2] != ")" || source_[i + 3] != ";") return;
        const std::size_t name = initialized_name(i);
        if (name == Source::none) return;
        const Range declaration = {statement_begin(source_, i), i + 3};
        const bool remains = replace_block({i + 4, scope_end(i)}, source_[name]);
        const std::string variable = "::simt::ThreadBlock " + std::string(source_[name]);
        edits_.replace(declaration.first, declaration.last, remains ? variable : "");
    }

    /// `cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);`, with the function's name at token i. The block
    /// is a variable that becomes one of the simulator's, or cg::this_thread_block().
    void visit_warp(std::size_t i) {
        if (!visited_.insert(i).second) return;
        if (source_[i + 1] != "<" || source_[i + 2] != "32" || source_[i + 3] != ">" || source_[i + 4] != "(") return;
        const std::size_t close = source_.partner(i + 4), name = initialized_name(i);
        if (name == Source::none || source_[close + 1] != ";") return;
        const bool of_block = (close == i + 6 && blocks_.count(source_[i + 5]) != 0) ||
                              (source_[close - 1] == ")" && source_[close - 3] == "this_thread_block");
        if (!of_block) return;
        std::vector<Use> uses;
        const Range scope = {close + 2, scope_end(i)};
        for (std::size_t j = scope.first; j < scope.last; ++j) {
            if (source_[j] != source_[name] || is_member(j)) continue;
            if (!add_use(j, warp_members, "__syncwarp()", uses)) return;
        }
        for (const Use& use : uses) edits_.replace(use.tokens.first, use.tokens.last, use.text);
        edits_.replace(statement_begin(source_, i), close + 1, "");
        if (close == i + 6) gone_.insert(i + 5);
    }

    /// `cg::thread_block block` or `const cg::thread_block& block`, with the type at token i.
    void visit_parameter(std::size_t i) {
        const std::size_t first = qualified_begin(i), name = source_[i + 1] == "&" ? i + 2 : i + 1;
        if (first == i || !source_.is_identifier(name) || !is_one_of(source_[name + 1], {",", ")"})) return;
        std::size_t close = name + 1;
        while (source_[close] == "," || source_[close] != ")") {
            if (close >= source_.size() || source_[close] == ";" || source_[close] == "{") return;
            const bool group = source_[close] == "(" || source_[close] == "[";
            close = (group && source_.partner(close) != Source::none ? source_.partner(close) : close) + 1;
        }
        edits_.replace(first, i + 1, "::simt::ThreadBlock");
        if (source_[close + 1] != "{" || source_.partner(close + 1) == Source::none) return;  // declared only
        replace_block({close + 2, source_.partner(close + 1)}, source_[name]);
    }

    /// Replaces what the block of this name does; returns whether its object is still needed. Warps come first: they
    /// name the block where they are made.
    bool replace_block(const Range& scope, std::string_view name) {
        blocks_.insert(name);
        for (std::size_t j = scope.first; j < scope.last; ++j) {
            if (source_[j] == "tiled_partition") visit_warp(j);
        }
        bool remains = false;
        for (std::size_t j = scope.first; j < scope.last; ++j) {
            if (source_[j] != name || is_member(j) || gone_.count(j) != 0) continue;
            std::vector<Use> uses;
            if (add_use(j, block_members, "__syncthreads()", uses)) {
                edits_.replace(uses[0].tokens.first, uses[0].tokens.last, uses[0].text);
            } else {
                remains = true;
            }
        }
        return remains;
    }

    /// Finds the replacement of the group's name at token j, with what it does: `block.sync()`, `cg::sync(block)`.
    bool add_use(std::size_t j, const std::vector<Member>& members, const char* barrier, std::vector<Use>& uses) const {
        if (source_[j + 1] == "." && source_[j + 3] == "(" && source_.partner(j + 3) != Source::none) {
            const bool empty = source_.partner(j + 3) == j + 4;
            for (const Member& member : members) {
                if (member.name != source_[j + 2] || member.has_arguments == empty) continue;
                uses.push_back({{j, member.has_arguments ? j + 4 : j + 5}, member.text});
                return true;
            }
        }
        if (source_[j - 1] != "(" || source_[j - 2] != "sync" || source_[j + 1] != ")") return false;
        if (qualified_begin(j - 2) == j - 2 && !is_one_of(source_[j - 3], {";", "{", "}", ")"})) return false;
        uses.push_back({{qualified_begin(j - 2), j + 2}, barrier});
        return true;
    }

    /// The variable that the call at token i initializes, `type name = call`; none otherwise.
    std::size_t initialized_name(std::size_t i) const {
        const std::size_t equals = qualified_begin(i) - 1, begin = statement_begin(source_, i);
        if (source_[equals] != "=" || !source_.is_identifier(equals - 1) || equals - 1 <= begin) return Source::none;
        for (std::size_t j = begin; j < equals - 1; ++j) {
            const std::string_view word = source_[j];
            const bool type = is_one_of(word, {"const", "auto", "cg", "cooperative_groups", "::", "thread_block",
                                               "thread_block_tile", "<", "32", ">"});
            if (!type) return Source::none;
        }
        return equals - 1;
    }

    /// The first token of `cg::name`, with the name at token i.
    std::size_t qualified_begin(std::size_t i) const {
        while (source_[i - 1] == "::" && is_one_of(source_[i - 2], {"cg", "cooperative_groups"})) i -= 2;
        return source_[i - 1] == "::" && source_[i] == "cooperative_groups" ? i - 1 : i;
    }

    bool is_member(std::size_t i) const { return is_one_of(source_[i - 1], {".", "->", "::"}); }

    /// The brace that closes the block around token i.
    std::size_t scope_end(std::size_t i) const {
        for (; i < source_.size() && source_[i] != "}"; ++i) {
            if (source_[i] == "{" && source_.partner(i) != Source::none) i = source_.partner(i);
        }
        return i;
    }

    const Source& source_;
    Edits& edits_;
    std::unordered_set<std::string_view> blocks_;
    std::unordered_set<std::size_t> visited_;  // calls that make warps
    std::unordered_set<std::size_t> gone_;     // names of blocks in declarations that are gone
};

}  // namespace
}  // namespace thread_groups

void rewrite_thread_groups(const Source& source, Edits& edits) { thread_groups::ThreadGroups(source, edits).rewrite(); }

}  // namespace simcc
