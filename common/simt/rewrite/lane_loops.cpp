// SPDX-License-Identifier: MIT
// Kernels whose barriers all stand in control flow that is the same for the whole block: they run once per block, and
// the code between two barriers becomes a loop over the lanes (include/simt/lane_loops.hpp). (The idea: Stratton, Stone,
// Hwu: MCUDA, 2008; pocl.) So
//     float x = in[i]; s[threadIdx.x] = x; __syncthreads(); out[i] = x + s[0];
// becomes, in short,
//     LaneArray<float> x_(lanes);
//     for (each lane) { float x = in[i]; s[threadIdx.x] = x; x_[lane] = x; }
//     lanes.barrier();
//     for (each lane) { auto x = x_[lane]; out[i] = x + s[0]; }
// Code with warp functions runs warp by warp, and is split at each of them in the same way:
//     v += __shfl_down_sync(m, v, 1);  ->  for (each lane of the warp) slot.give(lane, v);
//                                          for (each lane of the warp) v += shfl_down<T>(slot, lane, m, 1);
//
// Three levels: the block's code runs once, a warp's code once per warp, a lane's in a loop. A statement is the block's
// (or the warp's) if it contains a barrier (a warp function), or computes what the condition of such a statement needs.
// Everything else is the lanes'. In doubt a kernel stays as it is, and its lanes have stacks of their own.
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace lane_loops {
namespace {

class LoopKernel;

/// Why a kernel stays as it is, and the token that is to blame.
struct Obstacle {
    std::size_t token;
    std::string why;
};

enum Level { of_lane = 0, of_warp = 1, of_block = 2 };

// ---- functions that exchange something

struct Exchange {
    std::string_view name;
    Level level;
    enum { value, presence, vote, opposite } given;
    std::size_t argument;       // which is given
    std::string_view taken_by;  // the function in simt::loops; empty: see Emission::taken
};

constexpr Exchange exchanges[] = {
    {"__shfl_sync", of_warp, Exchange::value, 1, "shfl"},
    {"__shfl_up_sync", of_warp, Exchange::value, 1, "shfl_up"},
    {"__shfl_down_sync", of_warp, Exchange::value, 1, "shfl_down"},
    {"__shfl_xor_sync", of_warp, Exchange::value, 1, "shfl_xor"},
    {"__ballot_sync", of_warp, Exchange::vote, 1, "ballot"},
    {"__any_sync", of_warp, Exchange::vote, 1, "any"},
    {"__all_sync", of_warp, Exchange::opposite, 1, "all"},
    {"__match_any_sync", of_warp, Exchange::presence, 1, "match_any"},
    {"__reduce_add_sync", of_warp, Exchange::presence, 1, "reduce_add"},
    {"__reduce_min_sync", of_warp, Exchange::presence, 1, "reduce_min"},
    {"__reduce_max_sync", of_warp, Exchange::presence, 1, "reduce_max"},
    {"__reduce_and_sync", of_warp, Exchange::presence, 1, "reduce_and"},
    {"__reduce_or_sync", of_warp, Exchange::presence, 1, "reduce_or"},
    {"__reduce_xor_sync", of_warp, Exchange::presence, 1, "reduce_xor"},
    {"__syncthreads_count", of_block, Exchange::vote, 0, ""},
    {"__syncthreads_or", of_block, Exchange::vote, 0, ""},
    {"__syncthreads_and", of_block, Exchange::opposite, 0, ""},
};

const Exchange* exchange_named(std::string_view name) {
    const auto found = std::find_if(std::begin(exchanges), std::end(exchanges),
                                    [&](const Exchange& exchange) { return exchange.name == name; });
    return found == std::end(exchanges) ? nullptr : &*found;
}

/// Names of functions and namespaces in which a lane may wait.
bool may_wait(std::string_view name) {
    for (const std::string_view prefix : {"__sync", "__shfl", "__ballot", "__any", "__all_", "__all", "__uni_sync",
                                          "__match", "__reduce_", "__activemask", "__nanosleep", "__pipeline"}) {
        if (name.substr(0, prefix.size()) == prefix) return true;
    }
    return is_one_of(name, {"clock",
                            "clock64",
                            "__globaltimer",
                            "cooperative_groups",
                            "cg",
                            "cub",
                            "thrust",
                            "cuda",
                            "nvcuda",
                            "wmma",
                            "sync",
                            "wait",
                            "arrive",
                            "arrive_and_wait",
                            "this_thread_block",
                            "this_grid",
                            "tiled_partition",
                            "coalesced_threads",
                            "asm",
                            "__asm__",
                            "__asm",
                            "memcpy_async",
                            "setjmp",
                            "longjmp"});
}

bool is_atomic(std::string_view name) { return name.substr(0, 6) == "atomic"; }

bool opens_group(std::string_view token) { return token == "(" || token == "[" || token == "{"; }

// ---- what is known of the whole file

class DeviceCodeOf {
public:
    DeviceCodeOf(const Source& source, const Braces& braces, const EditedText& text)
        : source(source), braces(braces), text(text) {
        collect();
    }

    const Source& source;
    const Braces& braces;
    const EditedText& text;

    const std::vector<std::size_t>& kernels() const { return kernels_; }

    /// Whether a function of this name may wait for other lanes.
    bool waits(std::string_view name) const {
        const auto bodies = bodies_.find(name);
        if (bodies == bodies_.end()) return may_wait(name);
        const auto known = waits_.try_emplace(name, false);
        if (!known.second) return known.first->second;
        bool result = may_wait(name);  // the program's own may call CUDA's
        for (const std::size_t open : bodies->second) {
            const std::size_t close = source.partner(open);
            result |= text.puts_in(open, close, "simt_polling") || text.puts_in(open, close, "::simt::special");
            for (std::size_t i = open; i < close && !result; ++i) {
                if (source.is_identifier(i) && source[i] != name) result = waits_at(i);
            }
        }
        return waits_[name] = result;
    }

    /// Whether lanes may wait at the name at token i: a function that is called or passed, a type whose constructor
    /// is called, or a namespace of such functions.
    bool waits_at(std::size_t i) const {
        const bool is_called = source[i + 1] == "(" || source[i + 1] == "<" || source[i + 1] == "::";
        const bool is_member = source[i - 1] == "." || source[i - 1] == "->";
        return (is_called || !is_member) && waits(source[i]);
    }

    /// Whether lanes may wait in an operator that the program defines, which no name at a call tells.
    bool operators_wait() const { return is_defined("operator") && waits("operator"); }

    /// The only body of a free function of this name, or none.
    std::size_t only_body(std::string_view name) const {
        const auto bodies = bodies_.find(name);
        if (bodies == bodies_.end() || bodies->second.size() != 1) return Source::none;
        const std::size_t open = bodies->second.front();
        return braces.in_type(open) || has_specifier(source, braces.at(open).statement, open, "__global__")
                   ? Source::none
                   : open;
    }

    /// The device function of this name, if its lanes can run in loops; with its level.
    const LoopKernel* collective(std::string_view name) const;
    const std::map<std::string_view, std::unique_ptr<LoopKernel>>& collectives() const { return collectives_; }

    std::size_t name_before(std::size_t open) const { return name_of(braces.at(open).statement, open); }

    bool is_defined(std::string_view name) const { return bodies_.count(name) != 0; }

    /// Whether a function of this name has parameters that are references.
    bool takes_references(std::string_view name) const { return with_references_.count(name) != 0; }

    /// Whether the types [first, last) may be a reference by another name, or an array.
    bool may_be_reference(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) {
            const std::string_view word = source[i];
            if (references_.count(word) != 0 || word.find("reference") != word.npos) return true;
            if (word == "decltype" && source[i + 1] == "(" && is_one_of(source[i + 2], {"(", "auto"})) return true;
        }
        return false;
    }
    bool is_array(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) {
            if (arrays_.count(source[i]) != 0) return true;
        }
        return false;
    }
    /// Whether some class has an array as a member of this name.
    bool is_array_member(std::string_view name) const { return array_members_.count(name) != 0; }

    /// Whether this name may be a variable of the device, which other blocks change.
    bool is_device_variable(std::string_view name) const { return variables_.count(name) != 0; }

private:
    void collect() {
        for (std::size_t i = 0; i < source.size(); ++i) {
            if (source[i] == "__device__" || source[i] == "__managed__") collect_variable(i);
            if (source[i] == "typedef" || source[i] == "using") collect_alias(i);
            const bool is_array_of_class = source[i] == "[" && braces.in_type(i) && source.is_identifier(i - 1) &&
                                           (source.is_identifier(i - 2) || is_one_of(source[i - 2], {"*", ">", ","}));
            if (is_array_of_class) array_members_.insert(source[i - 1]);
            if (source[i] == "(" && source.is_identifier(i - 1) && !braces.in_function(i)) collect_declaration(i);
            if (source[i] != "{" || source.partner(i) == Source::none) continue;
            const Brace& brace = braces.at(i);
            if (brace.kind != BraceKind::code || braces.in_function(i)) continue;
            if (has_specifier(source, brace.statement, i, "__global__")) kernels_.push_back(i);
            const std::size_t name = name_of(brace.statement, i);
            if (name == Source::none) {
                const bool is_operator = has_specifier(source, brace.statement, i, "operator");
                if (is_operator && !source.in_system_header(i)) bodies_["operator"].push_back(i);
                continue;
            }
            bodies_[source[name]].push_back(i);
            const std::size_t open = source[name + 1] == "<" ? skip_angles(source, name + 1) : name + 1;
            for (std::size_t j = open; source[open] == "(" && j < source.partner(open); ++j) {
                if (source[j] == "&") with_references_.insert(source[name]);
            }
        }
    }

    /// The name of a reference or an array: `typedef int& R;`, `using A = int[4];`
    void collect_alias(std::size_t i) {
        bool is_reference = false, is_array = false;
        std::size_t name = source[i] == "using" ? i + 1 : i;
        for (++i; i < source.size() && source[i] != ";" && source[i] != "{"; ++i) {
            is_reference |= source[i] == "&" || references_.count(source[i]) != 0;
            is_array |= source[i] == "[" || arrays_.count(source[i]) != 0;
            if (source[name] == "typedef" && source.is_identifier(i) && is_one_of(source[i + 1], {";", "["})) name = i;
        }
        if (is_reference) references_.insert(source[name]);
        if (is_array) arrays_.insert(source[name]);
    }

    /// A function whose body is elsewhere.
    void collect_declaration(std::size_t open) {
        const std::size_t close = source.partner(open);
        if (close == Source::none || source.in_system_header(open)) return;
        for (std::size_t i = open; i < close; ++i) {
            if (source[i] == "&" || references_.count(source[i]) != 0) with_references_.insert(source[open - 1]);
        }
    }

    void collect_variable(std::size_t i) {
        if (braces.in_function(i)) return;
        for (std::size_t j = i; j < source.size() && source[j] != ";" && source[j] != "{"; ++j) {
            if (source[j] == "__attribute__") {
                j = std::max(j, std::min(source.partner(j + 1), source.size()));
            } else if (source[j] == "(") {
                return;  // a function
            } else if (source.is_identifier(j) && is_one_of(source[j + 1], {"=", ";", "[", ",", "{"})) {
                variables_.insert(source[j]);
            }
        }
    }

    /// (Also of a specialization, `f<int>`: a call of `f` may mean it.)
    std::size_t name_of(std::size_t i, std::size_t open) const {
        std::size_t specialized = Source::none;
        for (; i < open; ++i) {
            if (source[i] == "operator") return Source::none;
            const bool attribute = source[i] == "__attribute__" || source[i] == "alignas" || source[i] == "decltype";
            if (attribute && source[i + 1] == "(") {
                i = source.partner(i + 1);
            } else if (source[i] == "<" && skip_angles(source, i) != i) {
                if (source.is_identifier(i - 1)) specialized = i - 1;
                i = skip_angles(source, i) - 1;
            } else if (source[i] == "(") {
                return source.is_identifier(i - 1) ? i - 1 : source[i - 1] == ">" ? specialized : Source::none;
            }
            if (i == Source::none) return i;
        }
        return Source::none;
    }

    std::vector<std::size_t> kernels_;
    std::map<std::string_view, std::vector<std::size_t>> bodies_;
    std::set<std::string_view> with_references_, variables_, references_, arrays_, array_members_;
    mutable std::map<std::string_view, bool> waits_;
    mutable std::map<std::string_view, std::unique_ptr<LoopKernel>> collectives_;  // null: not in loops
};

// ---- the statements of a kernel

/// A call of an Exchange: its name, its `)`, and the arguments.
struct Call {
    const Exchange* exchange;  // null: of a device function
    Level level;
    std::size_t name, open, close;
    std::vector<std::pair<std::size_t, std::size_t>> arguments;
    unsigned number;
    std::size_t parameters;  // of a device function; some may have default arguments
};

/// Where a statement stands: the level of its sequence, and the condition, if any, that chooses among the lanes.
struct Position {
    Level level = of_lane;
    std::size_t choice = 0;
    bool operator==(const Position& other) const { return level == other.level && choice == other.choice; }
};

struct Statement {
    enum Kind { compound, choice, loop, do_loop, declaration, expression, leave, barrier, warp_barrier, other } kind;
    std::size_t first, last;                                // its tokens [first, last)
    std::size_t open = Source::none, close = Source::none;  // the parentheses of its condition
    std::vector<std::unique_ptr<Statement>> parts;
    Statement* around = nullptr;
    std::vector<Call> calls;  // in the condition, or in the statement itself if it has no parts
    Level level = of_lane;    // the highest of what is in it
    bool is_static = false;   // a declaration that is the same for all: shared variables, types, constants
    bool is_hoisted = false;  // computed at the level of its sequence
    Position position;

    bool has_parts() const { return kind <= do_loop; }
};

/// A variable of the kernel, or a parameter that it changes.
struct Variable {
    std::string_view name;
    std::size_t token;
    std::size_t scope_begin, scope_end;  // tokens
    Statement* statement = nullptr;      // the declaration, or the loop in whose head it is; null: a parameter
    std::size_t specifiers = 0, specifiers_end = 0, declarator = 0, declarator_end = 0, end = 0;
    bool is_array = false, is_reference = false, is_auto = false, is_pointer = false, is_shared = false;
    bool is_static = false, is_const = false;
    unsigned dimensions = 0;                    // of an array
    bool escapes = false;                       // its address is taken, or a reference may be bound to it
    std::vector<std::size_t> addresses;         // tokens where that happens
    bool is_needed = false;                     // by a condition of the block or of a warp
    std::vector<std::size_t> uses, changes;     // tokens
    std::set<std::size_t> runs, changing_runs;  // numbers of runs over lanes
    std::size_t declaring_run = Source::none;
    int recomputable = -1;  // unknown

    bool is_parameter() const { return statement == nullptr; }
    bool has_initializer() const { return end > declarator_end; }
};

class LoopKernel {
public:
    LoopKernel(const DeviceCodeOf& code, std::size_t open, bool is_function = false)
        : code_(code), source_(code.source), open_(open), close_(source_.partner(open)), is_function_(is_function) {}

    /// Whether lanes wait for each other in the kernel, or a function that it calls.
    bool has_barriers() const {
        for (std::size_t i = open_; i < close_; ++i) {
            if (source_[i] == "__syncthreads" || source_[i] == "__syncwarp" || exchange_named(source_[i])) return true;
            if (source_.is_identifier(i) && code_.is_defined(source_[i]) && code_.waits(source_[i])) return true;
        }
        return false;
    }

    Level level() const { return body_->level; }
    std::size_t close() const { return close_; }
    std::size_t parameter_count() const {
        return static_cast<std::size_t>(
            std::count_if(variables_.begin(), variables_.end(), [](const auto& v) { return v->is_parameter(); }));
    }

    /// The two other forms of a device function: see the text in include/simt/lane_loops.hpp.
    std::string forms() {
        const std::string body = text();
        const std::size_t first = code_.braces.at(open_).statement;
        std::string own, both;
        if (source_[first] == "template") {
            const std::size_t behind = skip_angles(source_, first + 1);
            own = code_.text.piece(first + 2, behind - 1);
        }
        const std::string name(source_[parameters_ - 1]);
        const std::string list = code_.text.piece(parameters_ + 1, source_.partner(parameters_));
        const std::string head = own.empty() ? "" : "template <" + own + "> ";
        std::string gives, rooms;
        unsigned index = 0;
        for (const auto& v : variables_) {
            if (!v->is_parameter()) continue;
            const std::string n = std::to_string(++index), of(v->name);
            gives += " simt_give.give(" + n + ", " + of + ");";
            rooms += " auto* const simt_v" + number_of(*v) +
                     " = simt_run.place.frame.template values<::simt::kept_type<decltype(" + of + ")>>(" + n +
                     "); (void)simt_v" + number_of(*v) + ";";
        }
        both = " " + head + "__attribute__((unused)) static void " + name + "(const ::simt::LaneGive& simt_give, " +
               list + ") {" + gives + " }";
        both += " template <" + own + (own.empty() ? "" : ", ") + "typename SimtResult> static void " + name +
                "(const ::simt::LaneRun<SimtResult>& simt_run, " + list +
                ") { ::simt::LaneLoops& simt_lanes = simt_run.place.lanes;";
        if (level() == of_warp) {
            both +=
                " const ::simt::LaneWarps& simt_w = *simt_run.place.warp; const unsigned simt_m = simt_run.place.mask;";
        }
        return both + rooms + body + " }";
    }

    /// Reads a function; throws an Obstacle if its lanes cannot run in loops.
    void check() { text(); }

    /// The kernel's new body; throws an Obstacle.
    std::string text() {
        if (!out_.empty()) return out_;
        refuse_words();
        collect_parameters();
        body_ = parse_compound(open_, nullptr);
        resolve_calls(*body_);
        set_levels(*body_);
        if (body_->level == of_lane) throw Obstacle{open_, "its barriers are in the functions that it calls"};
        resolve_names();
        const Level top = is_function_ ? body_->level : of_block;
        place(*body_, {top, 0});
        find_exits(*body_);
        place(*body_, {top, 0});
        find_constants(*body_);
        find_needed(*body_);
        check_needed();
        if (is_function_) check_returns();
        has_deaths_ = is_function_;
        emits_ = false;
        emit_body();
        find_deaths();
        check_addresses();
        const std::size_t runs = run_count_;
        emits_ = true;
        emit_body();
        if (run_count_ != runs) throw Obstacle{open_, "the rewriter lost count"};
        return out_;
    }

private:
    // ---- tokens

    bool adjoined(std::size_t i, std::string_view first, std::string_view second) const {
        return source_[i] == first && source_[i + 1] == second && source_.adjoins(i + 1);
    }

    bool ends_operand(std::size_t i) const {
        if (source_.is_identifier(i)) return !is_expression_keyword(source_[i]);
        const TokenKind kind = source_.token(i).kind;
        if (source_[i] == ")") return !ends_cast(i);
        return kind == TokenKind::number || kind == TokenKind::literal || is_one_of(source_[i], {"]", "}"});
    }

    /// Whether `)` ends the type of a cast, `(int*)`, or the head of a statement.
    bool ends_cast(std::size_t close) const {
        const std::size_t open = source_.partner(close);
        if (open == Source::none || open == 0 || open + 1 == close) return false;
        if (is_one_of(source_[open - 1], {"if", "for", "while", "switch"})) return true;
        if (source_.is_identifier(open - 1) ? !is_expression_keyword(source_[open - 1])
                                            : is_one_of(source_[open - 1], {")", "]", ">"}))
            return false;
        bool is_type = false;
        for (std::size_t i = open + 1; i < close; ++i) {
            if (source_.is_identifier(i)) {
                is_type = is_type_word(source_[i]) || (!find(i) && !source_.is_value(i));
                if (!is_type) return false;
            } else if (!is_one_of(source_[i], {"*", "&", "::", "<", ">", ",", "[", "]"})) {
                return false;
            }
        }
        return is_type;
    }

    /// Whether a bracket `(` behind token i opens a call, and not an expression or a statement.
    bool may_be_called(std::size_t i) const {
        if (source_[i] == "}" || source_[i] == "else" || source_[i] == "do") return false;
        if (source_[i] == ")") {
            const std::size_t open = source_.partner(i);
            const bool is_head = open != Source::none && is_one_of(source_[open - 1], {"if", "for", "while", "switch"});
            return !is_head && source_[open - 1] != "constexpr";
        }
        return source_[i] == ">" || ends_operand(i);
    }

    void refuse_words() {
        if (code_.operators_wait()) throw Obstacle{open_, "threads may wait in an operator"};
        for (std::size_t i = open_ + 1; i < close_; ++i) {
            const std::string_view word = source_[i];
            if (source_.is_identifier(i)) {
                if (is_one_of(word,
                              {"goto", "try", "throw", "co_await", "co_return", "co_yield", "asm", "__asm__", "__asm"}))
                    throw Obstacle{i, "it has '" + std::string(word) + "'"};
                const bool known = exchange_named(word) || word == "__syncthreads" || word == "__syncwarp";
                if (known && code_.is_defined(word)) throw Obstacle{i, "the program defines " + std::string(word)};
                const bool is_member = source_[i - 1] == "." || source_[i - 1] == "->";
                if (!is_member && source_[i - 1] != "::" && code_.collective(word)) continue;
                if (!known && code_.waits_at(i)) throw Obstacle{i, "threads may wait in '" + std::string(word) + "'"};
            } else if (word == "[" && !ends_operand(i - 1)) {
                if (source_[i + 1] == "[") {
                    i = source_.partner(i);
                    continue;
                }
                throw Obstacle{i, "it has a lambda"};
            } else if (word == "<" && source_[i + 1] == "<" && source_[i + 2] == "<") {
                throw Obstacle{i, "it launches kernels"};
            }
        }
        if (code_.text.puts_in(open_ + 1, close_, "simt_polling"))
            throw Obstacle{open_, "a loop waits for other threads"};
        for (std::size_t i = open_ + 1; i < close_; ++i) {
            if (source_[i] != "while" || source_[i + 1] != "(") continue;
            for (std::size_t j = i + 2; j < source_.partner(i + 1); ++j) {
                if (is_atomic(source_[j])) throw Obstacle{j, "a loop may wait for other threads"};
            }
        }
    }

    /// A function may return a value as its last statement.
    void check_returns() const {
        for (std::size_t i = open_ + 1; i < close_; ++i) {
            if (source_[i] != "return") continue;
            const Statement* const last = body_->parts.empty() ? nullptr : body_->parts.back().get();
            if (!last || last->kind != Statement::leave || last->first != i)
                throw Obstacle{i, "a function returns early"};
        }
    }

    std::size_t behind_group(std::size_t i) const {
        if (source_.partner(i) == Source::none) throw Obstacle{i, "a bracket is never closed"};
        return source_.partner(i) + 1;
    }

    // ---- statements

    using Part = std::unique_ptr<Statement>;

    Part make(Statement::Kind kind, std::size_t first, std::size_t last, Statement* around) const {
        Part part = std::make_unique<Statement>();
        part->kind = kind;
        part->first = first;
        part->last = last;
        part->around = around;
        return part;
    }

    Part parse_compound(std::size_t open, Statement* around) {
        Part part = make(Statement::compound, open, behind_group(open), around);
        for (std::size_t i = open + 1; i + 1 < part->last;) {
            part->parts.push_back(parse(i, part.get(), part->last - 1));
            i = part->parts.back()->last;
        }
        return part;
    }

    Part parse(std::size_t i, Statement* around, std::size_t scope_end) {
        const std::string_view word = source_[i];
        if (word == "{") return parse_compound(i, around);
        if (word == "if") return parse_choice(i, around);
        if (word == "for" || word == "while") return parse_loop(i, around);
        if (word == "do") return parse_do(i, around);
        if (word == "switch") return parse_opaque(i, around);
        if (word == "case" || word == "default" || (source_.is_identifier(i) && source_[i + 1] == ":"))
            throw Obstacle{i, "it has a label"};
        std::size_t end = i;
        while (end < close_ && source_[end] != ";") {
            if (source_[end] == "}") throw Obstacle{end, "a statement is not understood"};
            end = opens_group(source_[end]) ? behind_group(end) : end + 1;
        }
        ++end;
        if (word == "return" || word == "break" || word == "continue") return make(Statement::leave, i, end, around);
        if (word == "__syncthreads" && source_[i + 1] == "(" && end == i + 4)
            return make(Statement::barrier, i, end, around);
        if (word == "__syncwarp" && source_[i + 1] == "(" && source_.partner(i + 1) + 2 == end)
            return make(Statement::warp_barrier, i, end, around);
        Part part = make(Statement::expression, i, end, around);
        read_declaration(*part, i, end - 1, scope_end);
        return part;
    }

    Part parse_choice(std::size_t i, Statement* around) {
        Part part = make(Statement::choice, i, i, around);
        part->open = source_[i + 1] == "constexpr" ? i + 2 : i + 1;
        part->close = behind_group(part->open) - 1;
        part->parts.push_back(parse(part->close + 1, part.get(), part->close + 1));
        part->last = part->parts.back()->last;
        if (source_[part->last] == "else") {
            part->parts.push_back(parse(part->last + 1, part.get(), part->last + 1));
            part->last = part->parts.back()->last;
        }
        return part;
    }

    Part parse_loop(std::size_t i, Statement* around) {
        Part part = make(Statement::loop, i, i, around);
        part->open = i + 1;
        part->close = behind_group(part->open) - 1;
        if (source_[i] == "for") {
            std::size_t semicolon = part->open + 1;
            while (semicolon < part->close && source_[semicolon] != ";") {
                if (source_[semicolon] == ":") return parse_opaque(i, around);
                semicolon = opens_group(source_[semicolon]) ? behind_group(semicolon) : semicolon + 1;
            }
            const std::size_t before = variables_.size();
            Statement head{};
            read_declaration(head, part->open + 1, semicolon, part->close);
            for (std::size_t v = before; v < variables_.size(); ++v) variables_[v]->statement = part.get();
            part->parts.push_back(parse(part->close + 1, part.get(), part->close + 1));
            part->last = part->parts.back()->last;
            for (std::size_t v = before; v < variables_.size(); ++v) {
                if (variables_[v]->statement == part.get()) variables_[v]->scope_end = part->last;
            }
            return part;
        }
        part->parts.push_back(parse(part->close + 1, part.get(), part->close + 1));
        part->last = part->parts.back()->last;
        return part;
    }

    Part parse_do(std::size_t i, Statement* around) {
        Part part = make(Statement::do_loop, i, i, around);
        part->parts.push_back(parse(i + 1, part.get(), i + 1));
        const std::size_t word = part->parts.back()->last;
        if (source_[word] != "while") throw Obstacle{word, "a statement is not understood"};
        part->open = word + 1;
        part->close = behind_group(part->open) - 1;
        part->last = part->close + 2;
        return part;
    }

    /// A switch, or a loop over a range: for one lane.
    Part parse_opaque(std::size_t i, Statement* around) {
        const std::size_t body = behind_group(i + 1);
        if (source_[body] != "{") throw Obstacle{i, "a statement is not understood"};
        for (std::size_t j = i; j < behind_group(body); ++j) {
            if (source_[j] == "return") throw Obstacle{j, "a switch has a return"};
        }
        return make(Statement::other, i, behind_group(body), around);
    }

    // ---- declarations

    static bool is_type_word(std::string_view word) {
        return is_one_of(
            word, {"int",       "unsigned", "signed",  "long",          "short",          "char",          "bool",
                   "float",     "double",   "const",   "volatile",      "auto",           "struct",        "class",
                   "union",     "enum",     "static",  "thread_local",  "extern",         "constexpr",     "register",
                   "typename",  "using",    "typedef", "static_assert", "_Static_assert", "__attribute__", "alignas",
                   "constinit", "__thread", "void"});
    }

    /// The first token after the type that begins at token i; i if none does.
    std::size_t behind_type(std::size_t i) const {
        const std::size_t begin = i;
        bool has_type = false;
        for (;;) {
            const std::string_view word = source_[i];
            if (word == "__attribute__" || word == "alignas" || word == "decltype") {
                if (word == "decltype") has_type = true;
                i = behind_group(i + 1);
            } else if (word == "[" && source_[i + 1] == "[") {
                i = behind_group(i);
            } else if (is_type_word(word)) {
                has_type |= !is_one_of(word, {"const", "volatile", "static", "thread_local", "extern", "constexpr",
                                              "register", "typename", "struct", "class", "union", "enum", "__thread"});
                ++i;
            } else if (word == "__restrict__" || word == "__restrict") {
                ++i;
            } else if (!has_type && (source_.is_identifier(i) || word == "::") && !is_expression_keyword(word)) {
                if (word == "::") ++i;
                for (;;) {
                    if (!source_.is_identifier(i)) return begin;
                    ++i;
                    if (source_[i] == "<" && !source_.is_value(i - 1) && skip_angles(source_, i) != i)
                        i = skip_angles(source_, i);
                    if (source_[i] != "::") break;
                    ++i;
                    if (source_[i] == "template") ++i;
                }
                has_type = true;
            } else {
                break;
            }
        }
        return has_type ? i : begin;
    }

    /// Makes `part` a declaration if the tokens [first, end) are one, and collects its variables.
    void read_declaration(Statement& part, std::size_t first, std::size_t end, std::size_t scope_end) {
        if (first >= end) return;
        const std::string_view word = source_[first];
        if (is_one_of(word, {"using", "typedef", "static_assert", "_Static_assert"})) {
            part.kind = Statement::declaration;
            part.is_static = true;
            return;
        }
        for (std::size_t i = first; i < end; ++i) {
            if (is_one_of(source_[i], {"struct", "class", "union", "enum"})) {
                const std::size_t body = source_.is_identifier(i + 1) ? i + 2 : i + 1;
                if (source_[body] != "{" && source_[body] != ":") continue;
                if (!has_word(first, i, "thread_local")) throw Obstacle{i, "it declares a type"};
                part.kind = Statement::declaration;
                part.is_static = true;
                return;
            }
            if (opens_group(source_[i])) i = behind_group(i) - 1;
        }
        const std::size_t behind = behind_type(first);
        if (behind == first) return;
        std::size_t name = behind;
        while (is_one_of(source_[name], {"*", "&", "const", "volatile", "__restrict__", "__restrict"})) ++name;
        const bool in_parentheses = source_[name] == "(" && (source_[name + 1] == "*" || source_[name + 1] == "&");
        if (in_parentheses && is_type_word(word)) throw Obstacle{name, "a declaration is not understood"};
        if (!source_.is_identifier(name) || name >= end) {
            if (is_one_of(word, {"struct", "class", "union", "enum"})) throw Obstacle{first, "it declares a type"};
            if (word == "auto" || word == "const") throw Obstacle{first, "a declaration is not understood"};
            return;
        }
        if (!is_one_of(source_[name + 1], {"=", ";", ",", "[", "(", "{", ":"}) && name + 1 != end) return;
        part.kind = Statement::declaration;
        bool is_static = false, is_shared = false, is_const = false, is_auto = false;
        for (std::size_t i = first; i < behind; ++i) {
            is_shared |= source_[i] == "thread_local";
            is_static |= source_[i] == "constexpr" || source_[i] == "extern" || source_[i] == "static";
            is_const |= source_[i] == "const";
            is_auto |= source_[i] == "auto";
            if (source_[i] == "static" && !has_word(first, behind, "constexpr") && !has_word(first, behind, "const"))
                throw Obstacle{i, "it has a static variable"};
        }
        part.is_static = is_static || is_shared;
        for (std::size_t i = behind; i < end;) {
            auto variable = std::make_unique<Variable>();
            Variable& v = *variable;
            v.specifiers = first;
            v.specifiers_end = behind;
            v.declarator = i;
            v.is_shared = is_shared;
            v.is_static = is_static || is_shared;
            v.is_const = is_const;
            v.is_auto = is_auto;
            v.is_reference = code_.may_be_reference(first, behind);
            if (code_.is_array(first, behind)) v.is_array = true, v.dimensions = 1;
            while (is_one_of(source_[i], {"*", "&", "const", "volatile", "__restrict__", "__restrict"})) {
                v.is_reference |= source_[i] == "&";
                v.is_pointer |= source_[i] == "*";
                ++i;
            }
            if (v.is_pointer) v.is_const = false;
            if (!source_.is_identifier(i)) throw Obstacle{i, "a declaration is not understood"};
            v.name = source_[i];
            v.token = i++;
            while (source_[i] == "[") {
                v.is_array = true;
                ++v.dimensions;
                if (source_[i + 1] == "]") v.is_reference = !v.is_shared;  // (its size is unknown)
                i = behind_group(i);
            }
            v.declarator_end = i;
            while (i < end && source_[i] != ",") {
                if (opens_group(source_[i])) {
                    i = behind_group(i);
                } else if (may_open_angles(source_, i) && !source_.is_value(i - 1) && skip_angles(source_, i) != i) {
                    i = skip_angles(source_, i);
                } else {
                    ++i;
                }
            }
            v.end = i++;
            v.scope_begin = v.declarator_end;
            v.scope_end = scope_end;
            v.statement = &part;
            variables_.push_back(std::move(variable));
        }
    }

    /// f(x), or f<T>(x)
    bool is_called(std::size_t i) const {
        if (source_[i + 1] != "<" || source_.is_value(i)) return source_[i + 1] == "(";
        const std::size_t behind = skip_angles(source_, i + 1);
        return behind != i + 1 && (source_[behind] == "(" || source_[behind] == "{" || source_[behind] == "::");
    }

    bool has_word(std::size_t first, std::size_t last, std::string_view word) const {
        for (std::size_t i = first; i < last; ++i) {
            if (source_[i] == word) return true;
        }
        return false;
    }

    void collect_parameters() {
        std::size_t open = code_.braces.at(open_).statement;
        std::size_t parameters = Source::none;
        for (; open < open_; ++open) {
            if (source_[open] == "__attribute__" || source_[open] == "alignas" || source_[open] == "decltype") {
                open = source_.partner(open + 1);
            } else if (source_[open] == "<" && skip_angles(source_, open) != open) {
                open = skip_angles(source_, open) - 1;
            } else if (source_[open] == "(") {
                parameters = open;
                break;
            }
        }
        if (parameters == Source::none) throw Obstacle{open_, "its parameters are not understood"};
        parameters_ = parameters;
        const std::size_t end = source_.partner(parameters);
        for (std::size_t i = parameters + 1; i < end;) {
            std::size_t last = i;
            while (last < end && source_[last] != ",") {
                const bool angles = may_open_angles(source_, last) && skip_angles(source_, last) != last;
                last = opens_group(source_[last]) ? behind_group(last) : angles ? skip_angles(source_, last) : last + 1;
            }
            std::size_t name = last - 1;
            for (std::size_t j = i; j < last; ++j) {
                if (source_[j] != "=") continue;
                name = j - 1;
                break;
            }
            while (source_[name] == "]") name = source_.partner(name) - 1;
            if (source_.is_identifier(name) && name > i && !is_type_word(source_[name])) {
                auto variable = std::make_unique<Variable>();
                Variable& v = *variable;
                v.name = source_[name];
                v.token = name;
                v.specifiers = i;
                v.specifiers_end = v.declarator = name;
                v.declarator_end = v.end = name + 1;
                v.scope_begin = open_;
                v.scope_end = close_;
                for (std::size_t j = i; j < last; ++j) {
                    v.is_pointer |= source_[j] == "*" || source_[j] == "[";
                    v.is_reference |= source_[j] == "&";
                }
                v.is_array = source_[name + 1] == "[";
                if (is_function_ && v.is_reference) throw Obstacle{name, "a parameter is a reference"};
                variables_.push_back(std::move(variable));
            } else if (is_function_ && !(source_[i] == "void" && last == i + 1)) {
                throw Obstacle{i, "a parameter has no name"};
            }
            i = last + 1;
        }
    }

    // ---- calls of exchanges, and levels

    void resolve_calls(Statement& part) {
        for (const Part& inner : part.parts) resolve_calls(*inner);
        if (part.kind == Statement::barrier || part.kind == Statement::warp_barrier || part.kind == Statement::compound)
            return;
        const std::size_t first = part.has_parts() ? part.open : part.first;
        const std::size_t last = part.has_parts() ? part.close : part.last;
        for (std::size_t i = first; i < last; ++i) {
            const bool barrier = source_[i] == "__syncthreads" || source_[i] == "__syncwarp";
            if (barrier) throw Obstacle{i, "a barrier is part of an expression"};
            if (!source_.is_identifier(i) || source_[i - 1] == "." || source_[i - 1] == "->" || find_declared(i))
                continue;
            const Exchange* const exchange = exchange_named(source_[i]);
            const LoopKernel* const function =
                exchange || source_[i - 1] == "::" ? nullptr : code_.collective(source_[i]);
            if (!exchange && !function) continue;
            if (part.kind == Statement::other) throw Obstacle{i, "a warp function is in a switch"};
            const std::size_t open = source_[i + 1] == "<" ? skip_angles(source_, i + 1) : i + 1;
            if (source_[open] != "(") throw Obstacle{i, "a call is not understood"};
            Call call = {
                exchange,      exchange ? exchange->level : function->level(), i, open, source_.partner(open), {},
                call_count_++, function ? function->parameter_count() : 0};
            for (std::size_t a = open + 1; a < call.close;) {
                std::size_t end = a;
                while (end < call.close && source_[end] != ",") {
                    const bool angles =
                        may_open_angles(source_, end) && !source_.is_value(end - 1) && skip_angles(source_, end) != end;
                    end = opens_group(source_[end]) ? behind_group(end) : angles ? skip_angles(source_, end) : end + 1;
                }
                call.arguments.emplace_back(a, end);
                a = end + 1;
            }
            if (exchange && call.arguments.size() <= exchange->argument) throw Obstacle{i, "a call is not understood"};
            check_call(part, first, call);
            part.calls.push_back(call);
        }
        // Inner calls first.
        std::stable_sort(part.calls.begin(), part.calls.end(),
                         [](const Call& a, const Call& b) { return a.close < b.close; });
    }

    bool find_declared(std::size_t i) const {
        return std::any_of(variables_.begin(), variables_.end(), [&](const auto& v) { return v->name == source_[i]; });
    }

    /// An exchange must be reached whatever comes before it in its statement, and its argument is computed before
    /// everything else.
    void check_call(const Statement& part, std::size_t first, const Call& call) const {
        for (std::size_t i = first; i < call.name; ++i) {
            if (adjoined(i, "+", "+") || adjoined(i, "-", "-"))
                throw Obstacle{call.name, "an expression with a warp function has side effects"};
        }
        for (std::size_t i = first; i < call.name; ++i) {
            if (opens_group(source_[i]) && source_.partner(i) < call.name) {
                i = source_.partner(i);
                continue;
            }
            const bool chooses = source_[i] == "?" || adjoined(i, "&", "&") || adjoined(i, "|", "|") ||
                                 source_[i] == "and" || source_[i] == "or";
            if (chooses) throw Obstacle{call.name, "a warp function is called under a condition within an expression"};
        }
        if (part.kind == Statement::loop) throw Obstacle{call.name, "a warp function is in the head of a loop"};
        if (part.kind == Statement::expression) {
            std::size_t comma = first;
            while (comma < call.name && source_[comma] != ",") {
                const bool ends = opens_group(source_[comma]) && source_.partner(comma) < call.name;
                const bool lists = source_[comma] == "(" && ends_operand(comma - 1);
                comma = ends ? source_.partner(comma) + 1 : lists ? call.name : comma + 1;
            }
            if (comma < call.name) throw Obstacle{call.name, "an expression with a warp function has side effects"};
        }
        for (std::size_t i = call.open; i < call.close; ++i) {
            for (const auto& v : variables_) {
                if (v->statement == &part && v->name == source_[i] && v->token < i)
                    throw Obstacle{i, "a warp function needs a variable of its own declaration"};
            }
        }
        for (std::size_t i = call.name + 1; i < call.close; ++i) {
            if (adjoined(i, "+", "+") || adjoined(i, "-", "-") || is_atomic(source_[i]) || is_assignment(i))
                throw Obstacle{call.name, "an argument of a warp function has side effects"};
        }
    }

    bool is_assignment(std::size_t i) const {
        if (source_[i] != "=" || adjoined(i, "=", "=")) return false;
        if (!source_.adjoins(i)) return true;
        const std::string_view before = source_[i - 1];
        const bool shift = (before == "<" || before == ">") && source_[i - 2] == before && source_.adjoins(i - 1);
        return shift || !is_one_of(before, {"=", "!", "<", ">"});
    }

    Level set_levels(Statement& part) {
        Level level = part.kind == Statement::barrier        ? of_block
                      : part.kind == Statement::warp_barrier ? of_warp
                                                             : of_lane;
        for (const Call& call : part.calls) level = std::max(level, call.level);
        for (const Part& inner : part.parts) level = std::max(level, set_levels(*inner));
        return part.level = level;
    }

    // ---- names

    Variable* find(std::size_t token) const {
        if (!source_.is_identifier(token)) return nullptr;
        const std::string_view before = source_[token - 1];
        if (before == "." || before == "->" || before == "::") return nullptr;
        Variable* found = nullptr;
        const auto range = by_name_.equal_range(source_[token]);
        for (auto i = range.first; i != range.second; ++i) {
            Variable& v = *i->second;
            if (token >= v.scope_begin && token < v.scope_end && (!found || v.scope_begin > found->scope_begin))
                found = &v;
        }
        return found;
    }

    void resolve_names() {
        for (const auto& variable : variables_) by_name_.emplace(variable->name, variable.get());
        for (std::size_t i = open_ + 1; i < close_; ++i) {
            Variable* const v = find(i);
            if (!v) continue;
            v->uses.push_back(i);
            note_change(*v, i);
        }
        for (const auto& variable : variables_) {
            if (!variable->is_reference || variable->is_parameter()) continue;
            for (std::size_t i = variable->declarator_end; i < variable->end; ++i) {
                Variable* const v = find(i);
                if (!v) continue;
                v->escapes = true;
                const bool points = v->is_pointer && !v->is_array;
                if (points && (source_[i + 1] == "[" || source_[i + 1] == "->" || source_[i - 1] == "*")) continue;
                if (!v->is_shared) note_address(*v, i);
            }
        }
    }

    /// What is done with the address at token i may change the variable.
    static void note_address(Variable& v, std::size_t i) {
        v.escapes = true;
        v.addresses.push_back(i);
        v.changes.push_back(i);
    }

    void note_change(Variable& v, std::size_t i) {
        // The variable with the parentheses around it, and its element or member: [first, behind).
        std::size_t first = i, behind = i + 1;
        bool is_element = false, is_member = false;
        unsigned indices = 0;
        for (;;) {
            if (source_[behind] == "[" || source_[behind] == ".") {
                is_element = true;
                is_member = source_[behind] == ".";
                if (is_member && source_[behind + 2] == "(") {  // it may return its object's address
                    if (is_plain(v)) v.changes.push_back(i);
                    else note_address(v, i);
                    return;
                }
                indices += is_member ? v.dimensions : 1;
                behind = is_member ? behind + 2 : source_.partner(behind) + 1;
            } else if (source_[first - 1] == "(" && source_[behind] == ")" && !may_be_called(first - 2)) {
                --first;
                ++behind;
            } else {
                break;
            }
        }
        const std::string_view before = source_[first - 1];
        const bool points = v.is_pointer && !v.is_array;
        if (before == "&" && !(adjoined(first - 2, "&", "&")) && !ends_operand(first - 2)) {
            if (points && (source_[i + 1] == "[" || source_[i + 1] == "->")) return;
            return note_address(v, i);
        }
        if (adjoined(first - 2, "+", "+") || adjoined(first - 2, "-", "-")) {
            v.changes.push_back(i);
            return;
        }
        if (is_element && points) return;
        if (is_element && v.is_shared) return;
        if (v.is_array && !v.is_shared && !(v.is_parameter() && v.is_pointer) && indices < v.dimensions)
            return note_address(v, i);  // the array becomes a pointer
        if (is_member && !v.is_parameter() && !is_plain(v) && is_argument(first, behind)) return note_address(v, i);
        if (is_member && code_.is_array_member(source_[behind - 1])) return note_address(v, i);
        if (const auto use = use_of_choice(first, behind); use == Use::addressed) {
            return note_address(v, i);
        } else if (use == Use::changed) {
            v.changes.push_back(i);
            return;
        }
        if (before == ":" && source_[behind] == ")") v.changes.push_back(i);  // for (auto& x : v)
        const std::string_view next = source_[behind];
        bool changes = false;
        if (next == "=") {
            changes = !adjoined(behind, "=", "=");
        } else if (is_one_of(next, {"+", "-", "*", "/", "%", "&", "|", "^"})) {
            changes = adjoined(behind, next, "=") ||
                      ((next == "+" || next == "-") && adjoined(behind, next, next) && !ends_in_operand(behind + 2));
        } else if (next == "<" || next == ">") {
            changes = adjoined(behind, next, next) && source_[behind + 2] == "=" && source_.adjoins(behind + 2);
        } else if (is_argument(first, behind) && is_passed_by_reference(first)) {
            return note_address(v, i);  // which a constructor may keep
        }
        if (changes) v.changes.push_back(i);
    }

    enum class Use { read, changed, addressed };

    /// What is done with the choice, or the list, in parentheses whose part is [first, behind): `(c ? a : b) = 1`.
    Use use_of_choice(std::size_t first, std::size_t behind) const {
        if (!is_one_of(source_[first - 1], {"?", ":", ",", "("}) || !is_one_of(source_[behind], {":", ")"}))
            return Use::read;
        std::size_t close = behind;
        while (close < close_ && source_[close] != ")") {
            if (is_one_of(source_[close], {";", "}", "]"})) return Use::read;
            close = opens_group(source_[close]) ? source_.partner(close) + 1 : close + 1;
        }
        if (source_.partner(close) == Source::none) return Use::read;
        std::size_t open = source_.partner(close);
        if (may_be_called(open - 1)) return Use::read;
        while (source_[open - 1] == "(" && source_[close + 1] == ")" && !may_be_called(open - 2)) --open, ++close;
        const std::string_view before = source_[open - 1], next = source_[close + 1];
        if (before == "&" && !ends_operand(open - 2)) return Use::addressed;
        if (adjoined(open - 2, "+", "+") || adjoined(open - 2, "-", "-")) return Use::changed;
        if (next == "." || next == "[" || may_be_called(open - 1)) return Use::addressed;
        if (next == "=") return adjoined(close + 1, "=", "=") ? Use::read : Use::changed;
        const bool assigns =
            is_one_of(next, {"+", "-", "*", "/", "%", "&", "|", "^"}) &&
            (adjoined(close + 1, next, "=") || adjoined(close + 1, "+", "+") || adjoined(close + 1, "-", "-"));
        const bool shifts = is_one_of(next, {"<", ">"}) && adjoined(close + 1, next, next) && source_[close + 3] == "=";
        return assigns || shifts ? Use::changed : Use::read;
    }

    bool is_argument(std::size_t first, std::size_t behind) const {
        return is_one_of(source_[behind], {",", ")", "}"}) && is_one_of(source_[first - 1], {"(", ",", "{"});
    }

    /// Whether a variable is of a built-in type or a pointer, so that nothing happens unseen when it begins or ends.
    bool is_plain(const Variable& v) const {
        if (v.is_pointer) return true;
        for (std::size_t i = v.specifiers; i < v.specifiers_end; ++i) {
            if (source_[i] == "__attribute__" || source_[i] == "alignas") {
                i = behind_group(i + 1) - 1;
                continue;
            }
            const std::string_view word = source_[i];
            if (!source_.is_identifier(i) || is_type_word(word) || is_one_of(word, {"std", "size_t", "ptrdiff_t"}))
                continue;
            const bool is_sized = word.size() > 2 && word.substr(word.size() - 2) == "_t" &&
                                  (word.substr(0, 3) == "int" || word.substr(0, 4) == "uint");
            const bool is_vector = word.back() >= '1' && word.back() <= '4' &&
                                   is_one_of(word.substr(0, word.size() - 1),
                                             {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                                              "longlong", "ulonglong", "float", "double", "dim"});
            if (!is_sized && !is_vector) return false;
        }
        return true;
    }

    /// `a++ + b` and `a + +b`: whether an operand follows.
    bool ends_in_operand(std::size_t i) const { return source_.is_identifier(i) || source_[i] == "("; }

    bool is_passed_by_reference(std::size_t i) const {
        for (std::size_t j = i - 1; j > open_; --j) {
            if (source_[j] == ")" || source_[j] == "]" || source_[j] == "}") {
                j = source_.partner(j);
            } else if (source_[j] == "(") {
                std::size_t name = j - 1;
                if (source_[name] == ">") {
                    if (source_[name - 1] == "&") return true;  // a cast
                    while (name > open_ && source_[name] != "<" && source_[name] != ";") --name;
                    --name;
                }
                if (source_[name] == ")") return source_[name - 1] == "&";
                return source_.is_identifier(name) && (code_.takes_references(source_[name]) ||
                                                       source_[name] == "swap" || by_name_.count(source_[name]) != 0);
            } else if (source_[j] == "{") {  // T x{v}
                return source_.is_identifier(j - 1) &&
                       (by_name_.count(source_[j - 1]) != 0 || code_.takes_references(source_[j - 1]));
            } else if (source_[j] == ";") {
                return false;
            }
        }
        return false;
    }

    // ---- positions

    bool is_structural(const Statement& part, Level level) const {
        return part.has_parts() && part.level >= level && part.level != of_lane;
    }

    /// Sets the position of every statement: those in a statement of the lanes have none.
    void place(Statement& part, Position position) {
        part.position = position;
        if (part.kind == Statement::choice && position.level == of_warp && chooses_lanes(part)) {
            for (const Part& inner : part.parts) place_inner(*inner, {of_warp, inner->first}, part);
            return;
        }
        for (const Part& inner : part.parts) place_inner(*inner, position, part);
    }

    void place_inner(Statement& inner, Position position, const Statement& around) {
        Level level = of_lane;
        if (position.level == of_block && is_structural(around, of_block)) level = of_block;
        else if (position.level != of_lane && is_structural(around, of_warp)) level = of_warp;
        place(inner, {level, level == of_lane ? 0 : position.choice});
    }

    /// Whether a condition at the level of a warp may differ between its lanes.
    bool chooses_lanes(const Statement& part) const {
        return !is_plain_choice_.count(&part) && source_[part.first + 1] != "constexpr";
    }

    /// `break` and `continue` in the loops of the block and of a warp, and a return under a condition that is the same
    /// for all, belong to the block or the warp, and the statements around them, too.
    void find_exits(Statement& part) {
        for (const Part& inner : part.parts) find_exits(*inner);
        if (part.kind == Statement::other && source_[part.first] == "switch" &&
            has_word(part.first, part.last, "continue")) {
            const Statement* loop = part.around;
            while (loop && loop->kind != Statement::loop && loop->kind != Statement::do_loop) loop = loop->around;
            if (loop && loop->level != of_lane) throw Obstacle{part.first, "a switch continues a loop with barriers"};
        }
        if (part.kind != Statement::leave) return;
        if (source_[part.first] == "return") {
            Statement* outermost = nullptr;
            for (Statement* s = part.around; s; s = s->around) {
                if (s->position.level == of_block && s->kind == Statement::choice && s->level < of_block) outermost = s;
                if (s->kind == Statement::loop || s->kind == Statement::do_loop) {
                    if (s->level < of_block) return;
                    break;
                }
            }
            if (!outermost || outermost->parts.size() != 1 || outermost->level != of_lane) return;
            const Statement* body = outermost->parts.front().get();
            if (body->kind == Statement::compound && body->parts.size() == 1) body = body->parts.front().get();
            if (body == &part && is_same_for_all(outermost->open + 1, outermost->close))
                raise(part, outermost, of_block);
            return;
        }
        Statement* target = part.around;
        while (target && target->kind != Statement::loop && target->kind != Statement::do_loop) target = target->around;
        if (!target) throw Obstacle{part.first, "it has '" + std::string(source_[part.first]) + "'"};
        if (target->level == of_lane) return;
        raise(part, target, target->level);
    }

    void raise(Statement& leaf, Statement* last, Level level) {
        leaf.is_hoisted = true;
        for (Statement* s = leaf.around; s; s = s->around) {
            s->level = std::max(s->level, level);
            if (s->kind == Statement::choice) is_plain_choice_.insert(s);
            if (s == last) return;
        }
    }

    // ---- what is the same for all lanes

    static bool is_pure(std::string_view function) {
        return is_one_of(
            function,
            {"min",     "max",  "abs",   "sizeof", "static_cast", "int",      "unsigned", "float",    "double",
             "size_t",  "bool", "long",  "short",  "char",        "uint32_t", "int32_t",  "uint64_t", "int64_t",
             "alignof", "ceil", "ceilf", "floor",  "floorf",      "sqrt",     "sqrtf",    "__popc",   "__ffs",
             "__clz",   "umin", "umax",  "fminf",  "fmaxf",       "decltype", "if",       "log2",     "log2f"});
    }

    /// Calls act(variable) for each variable among the tokens. Returns the first token because of which the lanes' values may
    /// differ, other than a variable, or none.
    template <typename Act>
    std::size_t differing(std::size_t first, std::size_t last, Act act) const {
        for (std::size_t i = first; i < last; ++i) {
            const std::string_view token = source_[i];
            if (token == "->" || token == "{") return i;
            if (token == "[") {
                const Variable* const base = find(i - 1);
                if (!base || !base->is_shared) return i;
            }
            if ((token == "*" || token == "&") && !ends_operand(i - 1) && !adjoined(i - 1, "&", "&") &&
                !(source_[i + 1] == ")" || source_[i + 1] == ">"))
                return i;
            if (!source_.is_identifier(i)) continue;
            if (token == "threadIdx") return i;
            if (source_[i - 1] == ".") {
                if (source_[i + 1] == "(") return i;
                continue;
            }
            if (is_called(i) && !is_pure(token)) {
                const bool is_call_result =
                    std::any_of(block_calls_.begin(), block_calls_.end(), [&](std::size_t name) { return name == i; });
                if (!is_call_result) return i;
                i = source_.partner(i + 1);
                continue;
            }
            if (Variable* const v = find(i)) {
                act(*v);
            } else if (code_.is_device_variable(token)) {
                return i;
            }
        }
        return Source::none;
    }

    /// Whether an expression of constants, parameters and variables that never change is the same for all lanes.
    bool is_same_for_all(std::size_t first, std::size_t last) const {
        bool same = true;
        const std::size_t differs = differing(first, last, [&](Variable& v) { same = same && is_constant_for_all(v); });
        return same && differs == Source::none;
    }

    bool is_constant_for_all(const Variable& v) const {
        if (v.is_shared || v.is_array || v.escapes || !v.changes.empty()) return false;
        if (v.is_parameter() && is_function_) return false;
        if (v.is_parameter() || v.is_static) return !v.is_reference;
        return v.has_initializer() && !v.is_reference && is_same_for_all(v.declarator_end, v.end);
    }

    /// Constants may be bounds of shared arrays, and stay at the level of their sequence.
    void find_constants(Statement& part) {
        for (const Part& inner : part.parts) find_constants(*inner);
        if (part.kind != Statement::declaration || part.is_static || part.position.level == of_lane) return;
        bool constant = part.calls.empty(), any = false;
        for (const auto& v : variables_) {
            if (v->statement != &part) continue;
            any = true;
            constant = constant && v->is_const && is_plain(*v) && !v->is_reference && !v->is_array &&
                       v->has_initializer() && is_constant_for_all(*v);
        }
        part.is_hoisted = any && constant;
    }

    /// The conditions of the block's and the warps' statements, and what they need.
    void find_needed(Statement& part) {
        for (const Part& inner : part.parts) find_needed(*inner);
        if (part.kind == Statement::compound || !part.has_parts() || part.position.level == of_lane) return;
        const Level level = part.position.level == of_block && part.level == of_block ? of_block : of_warp;
        if (part.level == of_lane || part.level < of_warp) return;
        const bool at_warp = level == of_warp;
        if (part.kind == Statement::choice && at_warp && chooses_lanes(part)) return;
        for (const Call& call : part.calls) {
            if (call.level != of_block || at_warp || !call.exchange)
                throw Obstacle{call.name, "a warp function is in a condition"};
            block_calls_.push_back(call.name);
        }
        need(part.open + 1, part.close);
        for (const auto& v : variables_) {
            if (v->statement == &part) v->is_needed = true;
        }
    }

    void need(std::size_t first, std::size_t last) {
        const std::size_t differs = differing(first, last, [&](Variable& v) { need(v); });
        if (differs != Source::none)
            throw Obstacle{differs, "a barrier depends on '" + std::string(source_[differs]) +
                                        "', which may differ between threads"};
    }

    void need(Variable& v) {
        if (v.is_needed || v.is_shared || v.is_static) return;
        v.is_needed = true;
        const std::string name(v.name);
        if (v.is_array || v.is_reference || v.escapes) throw Obstacle{v.token, "a barrier depends on '" + name + "'"};
        if (v.is_parameter() && is_function_)
            throw Obstacle{v.token,
                           "a barrier depends on the parameter '" + name + "', which may differ between threads"};
        if (v.is_parameter() && v.changes.empty()) return;
        if (!v.is_parameter()) {
            if (v.statement->kind == Statement::declaration) {
                if (v.statement->position.level == of_lane || !v.statement->calls.empty())
                    throw Obstacle{v.token, "a barrier depends on '" + name + "', which may differ between threads"};
                v.statement->is_hoisted = true;
                for (const auto& other : variables_) {
                    if (other->statement == v.statement) need(*other);
                }
            }
            need(v.declarator_end, v.end);
        }
        for (const std::size_t change : v.changes) {
            Statement* const part = statement_at(change);
            if (part->has_parts()) continue;  // the head of a loop, whose tokens are needed anyway
            if (part->kind == Statement::declaration && change == v.token) continue;
            if (part->position.level == of_lane || !part->calls.empty() || part->kind == Statement::other)
                throw Obstacle{change, "a barrier depends on '" + name + "', which threads change one by one"};
            part->is_hoisted = true;
            need(part->first, part->last);
        }
    }

    Statement* statement_at(std::size_t token) const {
        Statement* part = body_.get();
        for (bool found = true; found;) {
            found = false;
            for (const Part& inner : part->parts) {
                if (token < inner->first || token >= inner->last) continue;
                part = inner.get();
                found = true;
                break;
            }
        }
        return part;
    }

    Position home_of(const Variable& v) const {
        if (v.is_parameter()) return {of_block, 0};
        if (v.statement->kind == Statement::declaration) return v.statement->position;
        const Position p = v.statement->position;  // of a loop
        return {p.level == of_block && v.statement->level == of_block ? of_block : of_warp, p.choice};
    }

    /// A variable that conditions need changes where it is declared: once per block, or once per warp.
    void check_needed() {
        for (const auto& v : variables_) {
            if (!v->is_needed) continue;
            const Position home = home_of(*v);
            for (const std::size_t change : v->changes) {
                const Statement* const part = statement_at(change);
                Position at = part->position;
                if (part->kind == Statement::loop || part->kind == Statement::do_loop ||
                    part->kind == Statement::choice) {
                    if (part->level == of_lane || at.level == of_lane)
                        throw Obstacle{change, "a barrier depends on '" + std::string(v->name) +
                                                   "', which threads change one by one"};
                    if (at.level == of_block && part->level != of_block) at.level = of_warp;
                }
                if (!(at == home))
                    throw Obstacle{
                        change, "a barrier depends on '" + std::string(v->name) + "', which warps change one by one"};
            }
        }
    }

    // ---- the new text. It is written twice: the first time only counts the loops over lanes, and notes which
    // variables each uses.

    /// A piece of a lane's code: a statement, the argument of an exchange, or a condition.
    struct Item {
        const Statement* statement;
        const Call* given = nullptr;
        bool is_condition = false;
    };
    using Items = std::vector<Item>;

    struct Place {
        Level level = of_block;
        bool chooses = false;     // not all lanes of the warp are here
        unsigned loop_depth = 0;  // of the block's loops
    };

    void emit_body() {
        run_count_ = 0;
        out_.clear();
        written_storage_.clear();
        written_slots_.clear();
        Place place;
        if (is_function_) {
            place.level = body_->level;
            place.chooses = true;
        } else {
            put(" ::simt::LaneLoops simt_lanes;");
            for (const auto& v : variables_) {
                if (v->is_parameter() && is_kept(*v)) keep_parameter(*v);
            }
        }
        emit_sequence(body_->parts, place);
    }

    void put(const std::string& text) {
        if (emits_) out_ += text;
    }

    /// Whether each lane has its own copy of the variable in an array.
    bool is_kept(const Variable& v) const {
        if (v.is_shared || v.is_static || v.is_needed) return false;
        if (v.is_parameter()) return is_function_ || !v.changes.empty();
        if (v.statement->is_hoisted) return false;
        return crosses(v) && !is_recomputable(v);
    }

    bool crosses(const Variable& v) const {
        return std::any_of(v.runs.begin(), v.runs.end(), [&](std::size_t run) { return run != v.declaring_run; });
    }

    /// Whether token i is in an argument of a function whose lanes run in loops.
    bool goes_to_function(std::size_t i) const {
        const std::vector<Call>& calls = statement_at(i)->calls;
        return std::any_of(calls.begin(), calls.end(),
                           [&](const Call& call) { return !call.exchange && i > call.open && i < call.close; });
    }

    /// Whether the address at token i may be stored where a pointer, an element or a member leads: `q[0] = &x`.
    bool goes_to_memory(std::size_t i) const {
        const Statement& part = *statement_at(i);
        for (std::size_t j = i; j-- > part.first;) {
            if (source_[j] == ")" || source_[j] == "]" || source_[j] == "}") {
                j = source_.partner(j);
            } else if (source_[j] == "(" && j > 0 && source_.is_identifier(j - 1) &&
                       !code_.is_defined(source_[j - 1])) {
                return false;  // what CUDA's functions return is no address
            } else if (source_[j] == "=" && !adjoined(j, "=", "=") && !adjoined(j - 1, "=", "=") &&
                       !is_one_of(source_[j - 1], {"+", "-", "*", "/", "!", "<", ">"})) {
                std::size_t target = part.first;
                for (std::size_t k = part.first; k < j; ++k) {
                    if (source_[k] == "->") return true;
                    if (source_[k] == "{" || source_[k] == "(") target = k + 1;
                }
                if (source_[target] == "*") return true;
                const Variable* const v = find(target);
                return source_[target + 1] == "[" && (!v || v->is_shared || v->is_pointer || !v->is_array);
            }
        }
        return false;
    }

    /// `(long)&x`
    bool is_cast_to_number(std::size_t i) const {
        const Statement& part = *statement_at(i);
        std::size_t before = i - 1;
        while (before > part.first && is_one_of(source_[before], {"&", "("})) --before;
        if (source_[before] == ">") return true;
        return source_[before] == ")" && source_.partner(before) != Source::none && source_[before - 1] != "*" &&
               !may_be_called(source_.partner(before) - 1);
    }

    /// A thread's variable has a new place in each run over the lanes, so no pointer to it may outlive the run.
    void check_addresses() const {
        for (const auto& v : variables_) {
            for (const std::size_t address : v->addresses) {
                const Statement* const part = statement_at(address);
                if (goes_to_function(address))
                    throw Obstacle{address,
                                   "a function with barriers gets the address of '" + std::string(v->name) + "'"};
                if (crosses(*v) && goes_to_memory(address))
                    throw Obstacle{address, "the address of '" + std::string(v->name) + "' goes to memory"};
                for (const auto& pointer : variables_) {
                    const Variable& p = *pointer;
                    if (&p == v.get() || p.is_shared) continue;
                    if (!crosses(p) && std::none_of(p.uses.begin(), p.uses.end(),
                                                    [&](std::size_t use) { return goes_to_function(use); }))
                        continue;
                    const bool is_number = !p.is_pointer && !p.is_auto && !p.is_reference && is_plain(p);
                    if (is_number && !is_cast_to_number(address)) continue;
                    const bool set =
                        p.statement == part || std::any_of(p.changes.begin(), p.changes.end(), [&](std::size_t change) {
                            return change >= part->first && change < part->last;
                        });
                    if (set)
                        throw Obstacle{address, "'" + std::string(p.name) + "' may hold the address of '" +
                                                    std::string(v->name) + "' across a barrier"};
                }
            }
        }
    }

    /// Whether the lanes can compute the variable anew wherever they need it.
    bool is_recomputable(const Variable& cv) const {
        auto& v = const_cast<Variable&>(cv);
        if (v.recomputable >= 0) return v.recomputable != 0;
        v.recomputable = 0;
        if (v.is_parameter() || v.is_array || v.is_reference || v.escapes || !v.changes.empty() || !v.has_initializer())
            return false;
        if (v.statement->kind != Statement::declaration || !v.statement->calls.empty()) return false;
        if (!is_plain(v)) return false;  // a constructor may read memory
        bool same = true;
        for (std::size_t i = v.declarator_end; i < v.end; ++i) {
            const std::string_view token = source_[i];
            if (token == "->" || token == "[" || token == "{") return false;
            if ((token == "*" || token == "&") && !ends_operand(i - 1) && !adjoined(i - 1, "&", "&") &&
                !(source_[i + 1] == ")" || source_[i + 1] == ">"))
                return false;
            if (!source_.is_identifier(i)) continue;
            if (source_[i - 1] == ".") {
                if (source_[i + 1] == "(") return false;
                continue;
            }
            if (is_called(i) && !is_pure(token)) return false;
            if (const Variable* const other = find(i)) {
                const bool fixed = other->changes.empty() && !other->escapes && !other->is_shared && !other->is_array;
                same = same && fixed &&
                       (other->is_parameter() || other->is_static || other->statement->is_hoisted ||
                        is_recomputable(*other));
            } else if (code_.is_device_variable(token)) {
                return false;
            }
        }
        v.recomputable = same ? 1 : 0;
        return same;
    }

    std::string number_of(const Variable& v) const {
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            if (variables_[i].get() == &v) return std::to_string(i);
        }
        return "";
    }

    void declare_storage(const Variable& v) {
        if (!written_storage_.insert(&v).second) return;
        if (v.is_auto || v.is_reference)
            throw Obstacle{v.token, "the type of '" + std::string(v.name) + "' is unknown"};
        const std::string n = number_of(v);
        std::string type;
        for (std::size_t i = v.specifiers; i < v.specifiers_end; ++i) {
            if (source_[i] == "register") continue;
            const std::size_t end = source_[i] == "__attribute__" ? source_.partner(i + 1) + 1 : i + 1;
            if (source_[i] != "__grid_constant__") type += code_.text.piece(i, end) + " ";
            i = end - 1;
        }
        put(" struct simt_T" + n + " { " + type + code_.text.piece(v.declarator, v.declarator_end) +
            "; }; ::simt::LaneArray<simt_T" + n + "> simt_v" + n + "(simt_lanes);");
    }

    std::string kept(const Variable& v) const {
        const std::string place = "simt_v" + number_of(v) + "[simt_r]";
        return v.is_parameter() && is_function_ ? place : place + "." + std::string(v.name);
    }

    void keep_parameter(const Variable& v) {
        if (v.is_array || v.is_reference)
            throw Obstacle{v.token, "the kernel changes its parameter '" + std::string(v.name) + "'"};
        declare_storage(v);
        open_lanes({});
        put(" ::simt::keep_value(" + kept(v) + ", " + std::string(v.name) + "); }");
    }

    void open_lanes(const Place& place) {
        put(" for (::simt::LaneRows simt_s(simt_lanes" + std::string(place.level == of_warp ? ", simt_w" : "") +
            "); simt_s.more(); simt_s.next()) for (unsigned simt_x = simt_s.enter(); simt_x < simt_s.last; ++simt_x) { "
            "::simt::enter_lane_of_loop(simt_x); const decltype(sizeof 0) simt_r = simt_s.base + simt_x; "
            "(void)simt_r;");
    }

    void emit_sequence(const std::vector<Part>& parts, const Place& place) {
        Items items;
        for (const Part& part : parts) items.push_back({part.get()});
        emit_items(items, place);
    }

    void emit_items(const Items& items, const Place& place) {
        Items run;
        for (const Item& item : items) {
            const Statement& part = *item.statement;
            if (item.given || item.is_condition) {
                run.push_back(item);
            } else if (part.kind == Statement::barrier) {
                flush(run, place);
                put(" simt_lanes.barrier()" + code_.text.placed(part.last - 1, part.last));
            } else if (part.kind == Statement::warp_barrier && place.level == of_warp) {
                flush(run, place);
                const bool names_all = source_[part.first + 1] == "(" && source_[part.first + 2] == ")";
                put(meeting(names_all ? "~0u" : constant_mask(part.first + 2, part.last - 2)));
                put(code_.text.placed(part.last - 1, part.last));
            } else if (part.is_static || (part.is_hoisted && part.kind == Statement::declaration)) {
                if (part.is_hoisted && !part.is_static && (is_ambiguous(part) || reads_memory(part))) flush(run, place);
                put(code_.text.placed(part.first, part.last));
            } else if (part.is_hoisted) {
                flush(run, place);
                put(code_.text.placed(part.first, part.last));
            } else if (part.has_parts() && part.level >= place.level) {
                flush_before(part, run, place);
                emit_structure(part, place);
            } else if (!part.calls.empty() && part.level >= place.level) {
                give(part, run, place);
                run.push_back(item);
            } else {
                run.push_back(item);
            }
        }
        flush(run, place);
    }

    /// Whether the name of a declared variable also means something else in the kernel.
    bool is_ambiguous(const Statement& part) const {
        return std::any_of(variables_.begin(), variables_.end(),
                           [&](const auto& v) { return v->statement == &part && by_name_.count(v->name) > 1; });
    }

    /// Whether a declaration may read what the lanes have just written.
    bool reads_memory(const Statement& part) const {
        for (std::size_t i = part.first; i < part.last; ++i) {
            const Variable* const v = find(i);
            if (v && v->is_shared) return true;
        }
        return std::any_of(variables_.begin(), variables_.end(),
                           [&](const auto& v) { return v->statement == &part && !is_plain(*v); });
    }

    /// The lanes bring the arguments of the exchanges in a statement, and meet.
    void give(const Statement& part, Items& run, const Place& place) {
        std::vector<const Call*> given;
        const auto meet = [&] {
            flush(run, place);
            for (const Call* call : std::exchange(given, {})) complete(*call, place);
        };
        for (const Call& call : part.calls) {
            if (call.level < place.level) continue;
            const bool needs_others = std::any_of(given.begin(), given.end(), [&](const Call* other) {
                return other->name > call.name && other->close < call.close;
            });
            if (needs_others) meet();
            run.push_back({&part, &call});
            given.push_back(&call);
        }
        meet();
    }

    /// Every lane has brought its values.
    void complete(const Call& call, const Place& place) {
        if (!call.exchange) {
            const std::string mask = "simt_m & simt_lanes.live(simt_w.index)";
            put(" simt_o" + std::to_string(call.number) + ".run(" +
                (place.level == of_warp ? "&simt_w, " + mask : "nullptr, 0") + ");");
        } else if (call.level == of_block) {
            put(" simt_lanes.barrier();");
        } else if (place.level == of_warp) {
            put(meeting(constant_mask(call.arguments[0].first, call.arguments[0].second)));
        }
    }

    /// The lanes that have come meet those that the mask names.
    static std::string meeting(const std::string& mask) {
        return " simt_lanes.meet(simt_w.index, simt_m, " + mask + ");";
    }

    /// The mask [first, last), if it is the same for all lanes; else none.
    std::string constant_mask(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) {
            if (source_[i] == "(" || (source_.is_identifier(i) && find(i))) return "0";
        }
        return code_.text.piece(first, last);
    }

    void flush_before(const Statement& part, Items& run, const Place& place) {
        if (part.kind == Statement::choice && !part.calls.empty()) give(part, run, place);
        else flush(run, place);
    }

    void flush(Items& run, const Place& place) {
        if (run.empty()) return;
        const Items items = std::exchange(run, {});
        for (const Item& item : items) {
            if (item.given) declare_slot(*item.given);
            if (item.given || item.is_condition || item.statement->kind != Statement::declaration) continue;
            for (const auto& v : variables_) {
                if (v->statement == item.statement && emits_ && is_kept(*v)) declare_storage(*v);
            }
        }
        const bool by_warps = place.level == of_block && std::any_of(items.begin(), items.end(), [](const Item& item) {
                                  return !item.given && item.statement->level == of_warp;
                              });
        if (!by_warps) return emit_lanes(items, place);
        put(" for (::simt::LaneWarps simt_w(simt_lanes); simt_w.more(); simt_w.next()) { const unsigned simt_m = "
            "simt_lanes.live(simt_w.index); (void)simt_m;");
        Place inner = place;
        inner.level = of_warp;
        emit_items(items, inner);
        put(" }");
        if (ends_lanes(items)) put(any_live());
    }

    static std::string any_live() { return " if (!simt_lanes.any_live()) return;"; }

    bool ends_lanes(const Items& items) const {
        if (is_function_) return false;
        return std::any_of(items.begin(), items.end(), [&](const Item& item) {
            return !item.given && !item.is_condition && has_word(item.statement->first, item.statement->last, "return");
        });
    }

    void declare_slot(const Call& call) {
        if (!written_slots_.insert(call.number).second) return;
        if (!call.exchange) {
            put(" ::simt::LaneFrame simt_o" + std::to_string(call.number) + "(simt_lanes, " +
                std::to_string(call.parameters) + ");");
            return;
        }
        const std::string type = call.exchange->given == Exchange::value      ? "LaneSlot"
                                 : call.exchange->given == Exchange::presence ? "LaneValues"
                                                                              : "LaneVotes";
        put(" ::simt::" + type + " simt_o" + std::to_string(call.number) + "(simt_lanes);");
    }

    void emit_structure(const Statement& part, const Place& place) {
        Place inner = place;
        if (part.kind == Statement::compound) {
            put(" {");
            emit_sequence(part.parts, place);
            put(" }");
            return;
        }
        if (part.kind == Statement::choice && place.level == of_warp && chooses_lanes(part))
            return emit_choice(part, place);
        if (part.kind == Statement::do_loop) {
            ++inner.loop_depth;
            put(" do {");
            emit_part(*part.parts[0], inner);
            if (!part.calls.empty())
                throw Obstacle{part.calls[0].name, "a barrier that counts is in the condition of a loop"};
            put(" } while (" + code_.text.placed(part.open + 1, part.close) + ");");
            return;
        }
        if (part.kind == Statement::loop) ++inner.loop_depth;
        put(code_.text.placed(part.first, part.close + 1, taken(part)) + " {");
        emit_part(*part.parts[0], inner);
        put(" }");
        if (part.parts.size() > 1) {
            put(" else {");
            emit_part(*part.parts[1], inner);
            put(" }");
        }
    }

    /// `if` among the lanes of a warp.
    void emit_choice(const Statement& part, const Place& place) {
        const std::string n = std::to_string(part.first - open_);
        put(" { unsigned simt_k" + n + " = 0;");
        Items condition = {{&part, nullptr, true}};
        flush(condition, place);
        put(" const unsigned simt_n" + n + " = simt_m & ~simt_k" + n + "; (void)simt_n" + n + ";");
        Place inner = place;
        inner.chooses = true;
        put(" { const unsigned simt_m = simt_k" + n + "; if (simt_m != 0) {");
        emit_part(*part.parts[0], inner);
        put(" } }");
        if (part.parts.size() > 1) {
            put(" { const unsigned simt_m = simt_n" + n + "; if (simt_m != 0) {");
            emit_part(*part.parts[1], inner);
            put(" } }");
        }
        put(" }");
    }

    void emit_part(const Statement& part, const Place& place) {
        if (part.kind == Statement::compound && part.level >= place.level) return emit_sequence(part.parts, place);
        emit_items({{&part}}, place);
    }

    // ---- a loop over lanes

    struct Range {
        std::size_t first, last;
    };

    std::vector<Range> ranges_of(const Items& items) const {
        std::vector<Range> ranges;
        for (const Item& item : items) {
            if (item.given && !item.given->exchange) {
                ranges.push_back({item.given->open + 1, item.given->close});
            } else if (item.given) {
                const auto& [first, last] = item.given->arguments[item.given->exchange->argument];
                ranges.push_back({first, last});
            } else if (item.is_condition) {
                ranges.push_back({item.statement->open + 1, item.statement->close});
            } else {
                ranges.push_back({item.statement->first, item.statement->last});
            }
        }
        return ranges;
    }

    void emit_lanes(const Items& items, const Place& place) {
        const std::size_t run = run_count_++;
        const std::vector<Range> ranges = ranges_of(items);
        const auto in_run = [&](std::size_t token) {
            return std::any_of(ranges.begin(), ranges.end(),
                               [&](const Range& range) { return token >= range.first && token < range.last; });
        };
        if (!emits_) {
            for (const auto& v : variables_) {
                for (const std::size_t use : v->uses) {
                    if (in_run(use) && use != v->token) v->runs.insert(run);
                }
                for (const std::size_t change : v->changes) {
                    if (in_run(change)) v->changing_runs.insert(run);
                }
                if (!v->is_parameter() && in_run(v->token)) v->declaring_run = run;
            }
            if (ends_lanes(items)) deaths_.emplace_back(run, place.loop_depth);
            return;
        }
        if (is_idle(items)) return;
        open_lanes(place);
        if (place.level == of_warp && (place.chooses || has_deaths_)) {
            put(" if (!((simt_m" + std::string(has_deaths_ ? " & simt_lanes.live(simt_w.index)" : "") +
                ") >> simt_r % 32 & 1)) continue;");
        } else if (place.level == of_block && has_deaths_) {
            put(" if (simt_lanes.has_ended(simt_r)) continue;");
        }
        put(" {");
        std::set<const Variable*> restored;
        for (const auto& v : variables_) {
            if (v->runs.count(run)) restore(*v, in_run, restored);
        }
        check_restored(restored);
        bool returns = false;
        for (const Item& item : items) emit_item(item, run, returns);
        for (const auto& v : variables_) {
            const bool declared = v->declaring_run == run;
            if (declared && !v->runs.empty() && !v->runs.count(run) && !v->is_static && !v->is_needed &&
                is_top_level(*v, items))
                put(" (void)" + std::string(v->name) + ";");
            if (is_kept(*v) && (v->changing_runs.count(run) || (declared && v->has_initializer())))
                put(" ::simt::keep_value(" + kept(*v) + ", " + std::string(v->name) + ");");
            else if (is_kept(*v) && declared && !is_plain(*v))
                put(" ::simt::keep_constructed(" + kept(*v) + ", " + std::string(v->name) + ");");
        }
        put(" }");
        if (returns) put(" simt_e" + std::to_string(run) + ":;");
        put(" }");
        if (returns && place.level == of_block) put(any_live());
    }

    static bool is_top_level(const Variable& v, const Items& items) {
        return std::any_of(items.begin(), items.end(), [&](const Item& item) {
            return !item.given && !item.is_condition && item.statement == v.statement;
        });
    }

    /// Whether the lanes only compute what they compute anew elsewhere.
    bool is_idle(const Items& items) const {
        return std::all_of(items.begin(), items.end(), [&](const Item& item) {
            if (item.given || item.is_condition) return false;
            if (item.statement->kind == Statement::warp_barrier) return true;
            if (item.statement->kind == Statement::expression) return item.statement->last == item.statement->first + 1;
            if (item.statement->kind != Statement::declaration) return false;
            return std::all_of(variables_.begin(), variables_.end(), [&](const auto& v) {
                return v->statement != item.statement || is_recomputable(*v) || (!v->has_initializer() && is_plain(*v));
            });
        });
    }

    template <typename InRun>
    void restore(const Variable& v, InRun in_run, std::set<const Variable*>& restored) {
        if (restored.count(&v) || v.is_shared || v.is_static || v.is_needed) return;
        if (v.is_parameter() ? !is_kept(v) : in_run(v.token) || v.statement->is_hoisted) return;
        if (!v.is_parameter() && v.declaring_run == Source::none) return;
        restored.insert(&v);
        const std::string name(v.name);
        if (is_kept(v)) {
            put(std::string(v.is_array ? " [[maybe_unused]] auto& " : " [[maybe_unused]] auto ") + name + " = " +
                kept(v) + ";");
            return;
        }
        for (std::size_t i = v.declarator_end; i < v.end; ++i) {
            if (const Variable* const other = find(i)) restore(*other, in_run, restored);
        }
        put(" [[maybe_unused]] " + code_.text.piece(v.specifiers, v.specifiers_end) + " " +
            code_.text.piece(v.declarator, v.end) + ";");
    }

    void check_restored(const std::set<const Variable*>& restored) const {
        std::set<std::string_view> names;
        for (const Variable* v : restored) {
            if (!names.insert(v->name).second)
                throw Obstacle{v->token, "'" + std::string(v->name) + "' has several meanings"};
        }
    }

    void emit_item(const Item& item, std::size_t run, bool& returns) {
        const Statement& part = *item.statement;
        if (item.given) {
            const Call& call = *item.given;
            if (!call.exchange) return give_arguments(part, call);
            const auto& [first, last] = call.arguments[call.exchange->argument];
            const std::string slot = " simt_o" + std::to_string(call.number);
            const std::string argument = code_.text.placed(first, last, taken(part));
            switch (call.exchange->given) {
                case Exchange::value: put(slot + ".give(simt_r, " + argument + ");"); break;
                case Exchange::presence: put(slot + ".come(simt_r, " + argument + ");"); break;
                case Exchange::vote: put(slot + ".vote(simt_r, (" + argument + ") != 0);"); break;
                case Exchange::opposite: put(slot + ".vote(simt_r, (" + argument + ") == 0);"); break;
            }
            return;
        }
        if (item.is_condition) {
            const std::string n = std::to_string(part.first - open_);
            put(" if (" + code_.text.placed(part.open + 1, part.close, taken(part)) + ") simt_k" + n +
                " |= 1u << simt_r % 32;");
            return;
        }
        if (part.kind == Statement::warp_barrier) return;
        std::vector<EditedText::Replacement> replacements = taken(part);
        for (std::size_t i = part.first; i < part.last; ++i) {
            if (source_[i] != "return") continue;
            if (is_function_) {
                if (source_[i + 1] == ";") break;
                put(" simt_run.give_result(simt_r, " + code_.text.placed(i + 1, part.last - 1, replacements) + ");");
                return;
            }
            if (source_[i + 1] != ";") throw Obstacle{i, "a return has a value"};
            returns = true;
            replacements.push_back({i, i + 1, "for (simt_lanes.end(simt_r);;) goto simt_e" + std::to_string(run)});
        }
        put(code_.text.placed(part.first, part.last, replacements));
    }

    void give_arguments(const Statement& part, const Call& call) {
        const std::string frame = "simt_o" + std::to_string(call.number);
        const std::string function = code_.text.piece(call.name, call.open, {}, true);
        const std::string original = code_.text.piece(call.name, call.close + 1, taken(part, &call), true);
        std::string arguments, types, values;
        unsigned index = 0;
        for (const auto& [first, last] : call.arguments) {
            const std::string argument = code_.text.piece(first, last, taken(part, &call));
            const std::string type = "simt_A" + std::to_string(index++);
            arguments += ", " + argument;
            types += " using " + type + " = decltype((" + argument + "));";
            values += ", ::simt::any_value<" + type + ">()";
        }
        // (The types have names, because a lambda must not name variables that it does not capture.)
        put(" " + function + "(::simt::LaneGive{" + frame + ", simt_r}" + arguments + "); {" + types +
            " using simt_R = decltype(" + original + "); " + frame +
            ".body = [](const ::simt::LanePlace& simt_place) { " + function + "(::simt::LaneRun<simt_R>{simt_place}" +
            values + "); }; }");
    }

    /// The calls of exchanges in a statement as what they return; with `within`, those among its arguments.
    std::vector<EditedText::Replacement> taken(const Statement& part, const Call* within = nullptr) const {
        std::vector<EditedText::Replacement> replacements;
        for (const Call& call : part.calls) {
            if (within && (call.name <= within->name || call.close >= within->close)) continue;
            const std::string slot = "simt_o" + std::to_string(call.number);
            std::string text;
            if (!call.exchange) {
                const bool is_all = part.first == call.name && call.close + 2 == part.last;
                const std::string original = code_.text.piece(call.name, call.close + 1, taken(part, &call), true);
                text = is_all ? "(void)0" : slot + ".result<decltype(" + original + ")>(simt_r)";
            } else if (call.level == of_block) {
                const std::string votes = slot + ".all_votes()";
                text = call.exchange->name == "__syncthreads_count" ? "static_cast<int>(" + votes + ")"
                       : call.exchange->name == "__syncthreads_or"  ? "static_cast<int>(" + votes + " != 0)"
                                                                    : "static_cast<int>(" + votes + " == 0)";
            } else {
                text = "::simt::loops::" + std::string(call.exchange->taken_by);
                if (call.exchange->given == Exchange::value || call.exchange->given == Exchange::presence) {
                    text += "<" + type_of(call) + ">";
                }
                text += "(" + slot + ", simt_r";
                for (std::size_t i = 0; i < call.arguments.size(); ++i) {
                    if (i == call.exchange->argument) continue;
                    text += ", " + code_.text.piece(call.arguments[i].first, call.arguments[i].second);
                }
                text += ")";
            }
            replacements.push_back({call.name, call.close + 1, text});
        }
        std::stable_sort(replacements.begin(), replacements.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        return replacements;
    }

    std::string type_of(const Call& call) const {
        const auto& [first, last] = call.arguments[call.exchange->argument];
        return "::simt::kept_type<decltype((" + code_.text.piece(first, last) + "))>";
    }

    // ---- lanes that leave

    /// Whether lanes may leave the kernel while others go on.
    void find_deaths() {
        for (const auto& [run, depth] : deaths_) has_deaths_ |= depth > 0 || run + 1 < run_count_;
    }

    const DeviceCodeOf& code_;
    const Source& source_;
    const std::size_t open_, close_;
    const bool is_function_;
    std::size_t parameters_ = Source::none;
    Part body_;
    std::vector<std::unique_ptr<Variable>> variables_;
    std::multimap<std::string_view, Variable*> by_name_;
    std::set<const Statement*> is_plain_choice_;
    std::vector<std::size_t> block_calls_;
    unsigned call_count_ = 0;
    bool emits_ = false, has_deaths_ = false;
    std::size_t run_count_ = 0;
    std::vector<std::pair<std::size_t, unsigned>> deaths_;
    std::set<const Variable*> written_storage_;
    std::set<unsigned> written_slots_;
    std::string out_;
};

const LoopKernel* DeviceCodeOf::collective(std::string_view name) const {
    const auto known = collectives_.find(name);
    if (known != collectives_.end()) return known->second.get();
    const std::size_t open = only_body(name);
    if (open == Source::none || !waits(name)) return nullptr;
    collectives_[name] = nullptr;  // (a function that calls itself stays as it is)
    auto function = std::make_unique<LoopKernel>(*this, open, true);
    try {
        function->check();
    } catch (const Obstacle&) {
        return nullptr;
    }
    return (collectives_[name] = std::move(function)).get();
}

}  // namespace
}  // namespace lane_loops

void rewrite_lane_loops(const Source& source, const Braces& braces, bool explained, Edits& edits) {
    const EditedText text(edits);
    const lane_loops::DeviceCodeOf code(source, braces, text);
    for (const std::size_t open : code.kernels()) {
        lane_loops::LoopKernel kernel(code, open);
        if (!kernel.has_barriers()) continue;
        try {
            std::string body = kernel.text();
            edits.supersede(open + 1, source.partner(open), std::move(body));
            if (explained) edits.note(open, "between barriers, this kernel's threads run in loops");
        } catch (const lane_loops::Obstacle& obstacle) {
            if (explained)
                edits.note(obstacle.token, "this kernel's threads have stacks of their own: " + obstacle.why);
        }
    }
    for (const auto& [name, function] : code.collectives()) {
        if (function) edits.insert_before(function->close() + 1, function->forms());
    }
}

}  // namespace simcc
