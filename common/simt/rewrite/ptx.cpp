// SPDX-License-Identifier: MIT
// Inline PTX becomes a block of C++, in which every instruction is a call of a function in include/simt/ptx.hpp:
//     asm("{ .reg .pred p; setp.lt.s32 p, %1, 7; @p add.s32 %0, %0, %1; }" : "+r"(x) : "r"(y));
// ->  do { auto&& simt_operand_0 = (x); unsigned simt_0 = ptx::take<unsigned>(simt_operand_0);
//          unsigned simt_1 = ptx::take<unsigned>((y));
//          { bool simt_p_1; { simt_p_1 = ptx::compared<ptx::Compare::lt, 0, ptx::s32>(simt_1, 7LL); }
//            if (simt_p_1) { ptx::add<0, ptx::s32>(simt_0, simt_0, simt_1); } }
//          ptx::give(simt_operand_0, simt_0); } while (false)
#include "common/simt/rewrite/ptx.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simcc {
namespace {

constexpr const char* blanks = " \t\r\n";
constexpr const char* in_ptx = "::simt::ptx::";

/// What stops the translation: an instruction, or a part of one, that is not simulated.
struct NotSimulated {
    std::string what;
};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; }

/// The parts between separators outside of brackets, trimmed.
std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : separator;
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (c != separator || (depth > 0 && i < text.size())) continue;
        parts.emplace_back(trimmed(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    if (parts.size() == 1 && parts[0].empty()) parts.clear();
    return parts;
}

using Words = std::initializer_list<std::string_view>;
bool is_in(std::string_view word, Words words) { return std::find(words.begin(), words.end(), word) != words.end(); }

// ---- types and modifiers

struct Type {
    std::string_view name;
    unsigned bits;  // of a register; 1: a predicate
};
constexpr Type types[] = {{"u8", 8},      {"s8", 8},     {"b8", 8},     {"u16", 16},   {"s16", 16}, {"b16", 16},
                          {"f16", 16},    {"bf16", 16},  {"u32", 32},   {"s32", 32},   {"b32", 32}, {"f32", 32},
                          {"tf32", 32},   {"f16x2", 32}, {"u16x2", 32}, {"s16x2", 32}, {"u64", 64}, {"s64", 64},
                          {"bf16x2", 32}, {"b64", 64},   {"f64", 64},   {"b128", 128}, {"pred", 1}, {"s4", 8},
                          {"u4", 8},      {"b1", 8}};

const Type* find_type(std::string_view name) {
    const auto found = std::find_if(std::begin(types), std::end(types), [&](const Type& t) { return t.name == name; });
    return found == std::end(types) ? nullptr : found;
}

std::string register_type(unsigned bits) {
    switch (bits) {
        case 1: return "bool";
        case 8: return "unsigned char";
        case 16: return "unsigned short";
        case 32: return "unsigned";
        case 64: return "unsigned long long";
        default: return "unsigned __int128";
    }
}

/// The modifiers of ptx.hpp whose name differs from PTX's.
std::string constant_of(std::string_view modifier) {
    if (modifier == "l") return "left";
    if (modifier == "r") return "right";
    if (modifier == "add") return "add_result";
    if (modifier == "volatile") return "is_volatile";
    return std::string(modifier);
}

// ---- instructions whose operands become the arguments of a function as they are

struct Row {
    std::string_view opcode, function;
    unsigned types, least_operands, most_operands;
    std::string_view modifiers;  ///< those that it takes, between blanks; others are not simulated
};
constexpr std::string_view rounded = " rn rz rm rp ftz sat noftz ";
constexpr Row rows[] = {
    {"add", "add", 1, 3, 3, rounded},
    {"sub", "sub", 1, 3, 3, rounded},
    {"mul", "mul", 1, 3, 3, " rn rz rm rp ftz sat noftz lo hi wide "},
    {"mad", "mad", 1, 4, 4, " rn rz rm rp ftz sat lo hi wide "},
    {"fma", "fma", 1, 4, 4, " rn rz rm rp ftz sat noftz relu "},
    {"mul24", "mul24", 1, 3, 3, " lo hi "},
    {"mad24", "mad24", 1, 4, 4, " lo hi "},
    {"sad", "sad", 1, 4, 4, ""},
    {"div", "div", 1, 3, 3, " rn rz rm rp approx full ftz "},
    {"rem", "rem", 1, 3, 3, ""},
    {"abs", "abs", 1, 2, 2, " ftz "},
    {"neg", "neg", 1, 2, 2, " ftz "},
    {"min", "min", 1, 3, 3, " ftz NaN relu "},
    {"max", "max", 1, 3, 3, " ftz NaN relu "},
    {"rcp", "rcp", 1, 2, 2, " rn rz rm rp approx ftz "},
    {"sqrt", "sqrt", 1, 2, 2, " rn rz rm rp approx ftz "},
    {"rsqrt", "rsqrt", 1, 2, 2, " approx ftz "},
    {"sin", "sin", 1, 2, 2, " approx ftz "},
    {"cos", "cos", 1, 2, 2, " approx ftz "},
    {"lg2", "lg2", 1, 2, 2, " approx ftz "},
    {"ex2", "ex2", 1, 2, 2, " approx ftz "},
    {"tanh", "tanh", 1, 2, 2, " approx "},
    {"copysign", "copysign", 1, 3, 3, ""},
    {"and", "and_", 1, 3, 3, ""},
    {"or", "or_", 1, 3, 3, ""},
    {"xor", "xor_", 1, 3, 3, ""},
    {"not", "not_", 1, 2, 2, ""},
    {"cnot", "cnot", 1, 2, 2, ""},
    {"shl", "shl", 1, 3, 3, ""},
    {"shr", "shr", 1, 3, 3, ""},
    {"shf", "shf", 1, 4, 4, " l r clamp wrap "},
    {"popc", "popc", 1, 2, 2, ""},
    {"clz", "clz", 1, 2, 2, ""},
    {"bfind", "bfind", 1, 2, 2, " shiftamt "},
    {"brev", "brev", 1, 2, 2, ""},
    {"bfe", "bfe", 1, 4, 4, ""},
    {"bfi", "bfi", 1, 5, 5, ""},
    {"bmsk", "bmsk", 1, 3, 3, " clamp wrap "},
    {"fns", "fns", 1, 4, 4, ""},
    {"lop3", "lop3", 1, 5, 5, ""},
    {"dp4a", "dp4a", 2, 4, 4, ""},
    {"dp2a", "dp2a", 2, 4, 4, " lo hi "},
    {"selp", "selp", 1, 4, 4, ""},
    {"slct", "slct", 2, 4, 4, " ftz "},
    {"mov", "mov", 1, 2, 2, ""},
    {"cvt", "cvt", 2, 2, 3, " rn rz rm rp rna rni rzi rmi rpi ftz sat relu satfinite "},
    {"vadd4", "vadd4", 3, 4, 4, " sat add "},
    {"vsub4", "vsub4", 3, 4, 4, " sat add "},
    {"vavrg4", "vavrg4", 3, 4, 4, " sat add "},
    {"vabsdiff4", "vabsdiff4", 3, 4, 4, " sat add "},
    {"vmin4", "vmin4", 3, 4, 4, " sat add "},
    {"vmax4", "vmax4", 3, 4, 4, " sat add "},
    {"vadd2", "vadd2", 3, 4, 4, " sat add "},
    {"vsub2", "vsub2", 3, 4, 4, " sat add "},
    {"vavrg2", "vavrg2", 3, 4, 4, " sat add "},
    {"vabsdiff2", "vabsdiff2", 3, 4, 4, " sat add "},
    {"vmin2", "vmin2", 3, 4, 4, " sat add "},
    {"vmax2", "vmax2", 3, 4, 4, " sat add "},
};

/// Instructions that only advise, or change how fast a GPU is: they do nothing here.
bool is_hint(std::string_view opcode) {
    return is_in(opcode, {"prefetch", "prefetchu", "discard", "applypriority", "griddepcontrol", "setmaxnreg",
                          "pmevent", "brkpt"});
}

// ---- the translation

class Translation {
public:
    Translation(std::string_view text, const std::vector<AsmOperand>& operands) : operands_(operands) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            text_ += text[i];
            if (text[i] == '%' && i + 1 < text.size() && text[i + 1] == '%') ++i;
        }
    }

    std::string translate() {
        declare_operands();
        scopes_.emplace_back();
        translate_statements();
        if (scopes_.size() != 1) throw NotSimulated{"a brace that is not closed"};
        for (std::string& label : labels_) {
            if (!placed_.count(label)) throw NotSimulated{"a branch out of the statement, to " + label};
        }
        std::string labels;
        for (const std::string& label : placed_) labels += (labels.empty() ? "__label__ " : ", ") + label_name(label);
        if (!labels.empty()) labels += "; ";
        return "do { " + labels + before_ + body_ + after_ + "} while (false)";
    }

private:
    // ---- operands of the statement

    static unsigned bits_of(char constraint) {
        switch (constraint) {
            case 'h': return 16;
            case 'r':
            case 'f': return 32;
            case 'l':
            case 'd': return 64;
            case 'q': return 128;
            default: return 0;
        }
    }

    void declare_operands() {
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const std::string& constraint = operands_[i].constraint;
            const char kind = constraint.empty() ? ' ' : constraint.back();
            const std::string number = std::to_string(i), name = "simt_" + number, reference = "simt_operand_" + number;
            if (kind == 'n') {
                before_ += "const long long " + name + " = static_cast<long long>(" + operands_[i].expression + "); ";
                continue;
            }
            if (bits_of(kind) == 0) throw NotSimulated{"an operand with the constraint " + constraint};
            const std::string type = register_type(bits_of(kind));
            const bool is_output = constraint[0] == '=' || constraint[0] == '+';
            std::string source = "(" + operands_[i].expression + ")";
            if (is_output) {
                before_ += "auto&& " + reference + " = " + source + "; ";
                source = reference;
                after_ += std::string(in_ptx) + "give(" + reference + ", " + name + "); ";
            }
            std::string value = "0";
            if (constraint[0] != '=') {
                value = in_ptx +
                        (kind == 'f'   ? "take_float("
                         : kind == 'd' ? "take_double("
                                       : "take<" + type + ">(") +
                        source + ")";
            }
            before_ += type + " " + name + " = " + value + "; ";
        }
    }

    // ---- statements

    void translate_statements() {
        std::size_t i = 0;
        for (;;) {
            i = text_.find_first_not_of(" \t\r\n;", i);
            if (i == std::string::npos) return;
            if (text_[i] == '{') {
                scopes_.emplace_back();
                body_ += "{ ";
                ++i;
            } else if (text_[i] == '}') {
                if (scopes_.size() == 1) throw NotSimulated{"a brace that was never opened"};
                scopes_.pop_back();
                body_ += "} ";
                ++i;
            } else if (const std::size_t colon = end_of_label(i); colon != std::string::npos) {
                const std::string label = text_.substr(i, text_.find_first_of(" \t\r\n:", i) - i);
                if (!placed_.insert(label).second) throw NotSimulated{"two labels " + label};
                body_ += label_name(label) + ": ; ";
                i = colon + 1;
            } else {
                std::size_t end = i;
                for (int depth = 0; end < text_.size() && (text_[end] != ';' || depth > 0); ++end) {
                    if (text_[end] == '{') ++depth;
                    if (text_[end] == '}' && --depth < 0) break;
                }
                translate_statement(trimmed(std::string_view(text_).substr(i, end - i)));
                i = end;
            }
        }
    }

    /// The colon behind the label that begins at i; npos if none does.
    std::size_t end_of_label(std::size_t i) const {
        std::size_t end = i;
        while (end < text_.size() && in_name(text_[end])) ++end;
        if (end == i) return std::string::npos;
        end = text_.find_first_not_of(blanks, end);
        const bool is_label = end != std::string::npos && text_[end] == ':' && text_.compare(end, 2, "::") != 0;
        return is_label ? end : std::string::npos;
    }

    static std::string label_name(const std::string& label) { return "simt_label_" + plain(label); }
    static std::string plain(std::string name) {
        std::replace(name.begin(), name.end(), '%', '_');
        std::replace(name.begin(), name.end(), '$', '_');
        return name;
    }

    void translate_statement(std::string_view statement) {
        if (statement.substr(0, 4) == ".reg") return declare_registers(statement.substr(4));
        if (statement.substr(0, 7) == ".pragma") return;
        if (statement[0] == '.') throw NotSimulated{std::string(statement.substr(0, statement.find_first_of(blanks)))};
        std::string condition;
        if (statement[0] == '@') {
            const std::size_t end = statement.find_first_of(blanks);
            std::string_view name = statement.substr(1, end == std::string_view::npos ? end : end - 1);
            if (end == std::string_view::npos) throw NotSimulated{"a predicate without an instruction"};
            const bool is_negated = name[0] == '!';
            whole_ = "a predicate";
            condition = std::string("if (") + (is_negated ? "!" : "") + source(name.substr(is_negated)) + ") ";
            statement = trimmed(statement.substr(end));
        }
        const std::size_t end = std::min(statement.find_first_of(blanks), statement.size());
        whole_ = statement.substr(0, end);
        const std::vector<std::string> name = parts_of(whole_, '.');
        opcode_ = name[0];
        suffixes_.assign(name.begin() + 1, name.end());
        arguments_ = parts_of(statement.substr(end), ',');
        setup_.clear();
        finish_.clear();
        const std::string call = translate_instruction();
        body_ += condition + "{ " + setup_ + call + "; " + finish_ + "} ";
    }

    void declare_registers(std::string_view declaration) {
        declaration = trimmed(declaration);
        const std::size_t end = declaration.find_first_of(blanks);
        if (end == std::string_view::npos || declaration[0] != '.') throw NotSimulated{".reg"};
        const Type* const type = find_type(declaration.substr(1, end - 1));
        if (!type) throw NotSimulated{".reg " + std::string(declaration.substr(0, end))};
        for (const std::string& name : parts_of(declaration.substr(end), ',')) {
            const std::size_t open = name.find('<');
            if (open == std::string::npos) {
                declare_register(name, type->bits);
                continue;
            }
            const unsigned count = static_cast<unsigned>(std::strtoul(name.c_str() + open + 1, nullptr, 10));
            if (count > 256) throw NotSimulated{"more than 256 registers"};
            for (unsigned i = 0; i < count; ++i) declare_register(name.substr(0, open) + std::to_string(i), type->bits);
        }
    }

    void declare_register(const std::string& name, unsigned bits) {
        const std::string variable = "simt_" + plain(name) + "_" + std::to_string(++registers_);
        scopes_.back()[name] = {variable, bits};
        // (All stand at the beginning, so that no branch jumps over one.)
        before_ += register_type(bits) + " " + variable + " = 0; ";
    }

    // ---- what an operand of an instruction is in C++

    struct Value {
        std::string text;
        unsigned bits;  // 0: a number
    };

    std::optional<Value> register_named(std::string_view name) const {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            const auto found = scope->find(std::string(name));
            if (found != scope->end()) return found->second;
        }
        if (name.size() < 2 || name[0] != '%' || std::isdigit(static_cast<unsigned char>(name[1])) == 0)
            return std::nullopt;
        const std::size_t number = std::strtoul(std::string(name.substr(1)).c_str(), nullptr, 10);
        if (number >= operands_.size()) throw NotSimulated{"an operand that is missing, " + std::string(name)};
        const char kind = operands_[number].constraint.back();
        return Value{"simt_" + std::to_string(number), kind == 'n' ? 0 : bits_of(kind)};
    }

    std::optional<Value> special_register(std::string_view name) const {
        static const std::set<std::string, std::less<>> names = {
            "tid_x",       "tid_y",   "tid_z",    "ntid_x",      "ntid_y",      "ntid_z",      "ctaid_x",
            "ctaid_y",     "ctaid_z", "nctaid_x", "nctaid_y",    "nctaid_z",    "laneid",      "warpid",
            "nwarpid",     "smid",    "nsmid",    "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt",
            "lanemask_ge", "clock",   "clock64",  "globaltimer"};
        if (name[0] != '%') return std::nullopt;
        std::string plain_name(name.substr(1));
        std::replace(plain_name.begin(), plain_name.end(), '.', '_');
        if (!names.count(plain_name)) return std::nullopt;
        const bool is_long = plain_name == "clock64" || plain_name == "globaltimer";
        return Value{"::simt::special_register::" + plain_name + "()", is_long ? 64u : 32u};
    }

    /// A number; nullopt for another word.
    static std::optional<Value> number(std::string_view word) {
        const bool is_negative = word[0] == '-';
        std::string digits(trimmed(word.substr(is_negative || word[0] == '+')));
        if (digits.empty() || std::isdigit(static_cast<unsigned char>(digits[0])) == 0) return std::nullopt;
        const std::string sign = is_negative ? "-" : "";
        if (digits.size() == 10 && (digits.compare(0, 2, "0f") == 0 || digits.compare(0, 2, "0F") == 0))
            return Value{"0x" + digits.substr(2) + "u", 32};
        if (digits.size() == 18 && (digits.compare(0, 2, "0d") == 0 || digits.compare(0, 2, "0D") == 0))
            return Value{"0x" + digits.substr(2) + "ull", 64};
        const bool is_hexadecimal = digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X');
        if (!is_hexadecimal && digits.find_first_of(".eE") != std::string::npos)
            return Value{"(" + sign + digits + ")", 0};
        if (digits.back() == 'U' || digits.back() == 'u') digits.pop_back();
        char* end = nullptr;
        const bool is_binary = digits.size() > 2 && (digits[1] == 'b' || digits[1] == 'B');
        const unsigned long long value =
            is_binary ? std::strtoull(digits.c_str() + 2, &end, 2) : std::strtoull(digits.c_str(), &end, 0);
        if (*end != 0) return std::nullopt;
        return Value{"static_cast<long long>(" + sign + std::to_string(value) + "ull)", 0};
    }

    Value value(std::string_view operand) const {
        operand = trimmed(operand);
        if (operand.empty()) throw NotSimulated{whole_ + " with so few operands"};
        if (const auto found = register_named(operand)) return *found;
        if (const auto found = special_register(operand)) return *found;
        if (operand == "WARP_SZ") return {"32ll", 0};
        if (const auto found = number(operand)) return *found;
        throw NotSimulated{whole_ + " with the operand " + std::string(operand)};
    }
    std::string source(std::string_view operand) const { return value(operand).text; }
    std::string argument(std::size_t i) const {
        if (i >= arguments_.size()) throw NotSimulated{whole_ + " with so few operands"};
        return arguments_[i];
    }
    std::string source_at(std::size_t i) const { return source(argument(i)); }
    /// A predicate as a source, which may be negated.
    std::string condition_at(std::size_t i) const {
        const std::string word = argument(i);
        const bool is_negated = word[0] == '!';
        const Value found = value(std::string_view(word).substr(is_negated));
        return (is_negated ? "!(" : "bool(") + found.text + ")";
    }

    /// A variable for a result that nobody wants.
    std::string unused(const std::string& type) {
        const std::string name = "simt_unused_" + std::to_string(++unused_);
        setup_ += type + " " + name + " = 0; ";
        return name;
    }
    std::string target(std::string_view operand, const std::string& type = "unsigned long long") {
        if (operand == "_") return unused(type);
        const Value found = value(operand);
        if (found.bits == 0) throw NotSimulated{whole_ + " into " + std::string(operand)};
        return found.text;
    }
    std::string target_at(std::size_t i) { return target(argument(i)); }
    /// The two targets of `d|p`; `p` may be missing.
    std::pair<std::string, std::string> two_targets(const std::string& type) {
        const std::vector<std::string> both = parts_of(argument(0), '|');
        return {target(both[0], type), both.size() > 1 ? target(both[1], "bool") : unused("bool")};
    }

    /// The name of an array with the operands of a list, or with the only one. Results are copied back.
    std::string list(const std::string& operand, bool is_target) {
        const bool is_list = operand[0] == '{';
        const std::vector<std::string> words =
            is_list ? parts_of(std::string_view(operand).substr(1, operand.size() - 2), ',')
                    : std::vector<std::string>{operand};
        std::string values, type;
        const std::string name = "simt_list_" + std::to_string(++lists_);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const Value found = words[i] == "_" ? Value{"0", 0} : value(words[i]);
            if (found.bits != 0 && type.empty()) type = register_type(found.bits);
            values += (i > 0 ? ", " : "") + found.text;
            if (is_target && words[i] != "_")
                finish_ += target(words[i]) + " = " + name + "[" + std::to_string(i) + "]; ";
        }
        if (type.empty()) type = is_target ? "unsigned long long" : "long long";
        setup_ += type + " " + name + "[] = {" + values + "}; ";
        return name;
    }

    /// The pointer for `[register + number]`.
    std::string pointer_at(std::size_t i, bool is_shared) const {
        const std::string operand = argument(i);
        if (operand.size() < 3 || operand[0] != '[') throw NotSimulated{whole_ + " with the operand " + operand};
        const std::string_view inside = trimmed(std::string_view(operand).substr(1, operand.size() - 2));
        const std::size_t sign = inside.find_first_of("+-", 1);
        const Value base = value(inside.substr(0, sign));
        std::string offset = "0";
        if (sign != std::string_view::npos) {
            const std::string_view word = trimmed(inside.substr(sign + 1));
            offset = (inside[sign] == '-' ? "-(" : "(") + source(word) + ")";
        }
        return std::string(in_ptx) + "pointer<" + (is_shared ? "::simt::ptx::shared" : "0") + ">(" +
               (base.bits == 0 ? "static_cast<unsigned long long>(" + base.text + ")" : base.text) + ", " + offset +
               ")";
    }

    // ---- suffixes

    bool take_suffix(std::string_view suffix) {
        const auto found = std::find(suffixes_.begin(), suffixes_.end(), suffix);
        if (found == suffixes_.end()) return false;
        suffixes_.erase(found);
        return true;
    }
    void take_suffixes(Words words) {
        for (const std::string_view word : words) take_suffix(word);
    }
    /// The one of these words that is there; empty if none is.
    std::string take_one(Words words) {
        for (const std::string_view word : words) {
            if (take_suffix(word)) return std::string(word);
        }
        return "";
    }
    void take_those_with(std::string_view prefix) {
        suffixes_.erase(std::remove_if(suffixes_.begin(), suffixes_.end(),
                                       [&](const std::string& s) { return s.compare(0, prefix.size(), prefix) == 0; }),
                        suffixes_.end());
    }
    /// The types in the name, in order, as arguments of a template.
    std::vector<std::string> take_types() {
        std::vector<std::string> found, rest;
        for (const std::string& suffix : suffixes_) {
            if (find_type(suffix)) found.push_back(in_ptx + suffix);
            else rest.push_back(suffix);
        }
        suffixes_ = rest;
        return found;
    }
    std::string take_type() {
        const std::vector<std::string> found = take_types();
        if (found.size() != 1) refuse();
        return found[0];
    }
    void expect_no_suffixes() const {
        if (!suffixes_.empty()) refuse();
    }
    [[noreturn]] void refuse() const { throw NotSimulated{whole_}; }
    void expect_operands(std::size_t least, std::size_t most) const {
        if (arguments_.size() < least || arguments_.size() > most) refuse();
    }
    /// The modifiers in the name, as a sum of constants.
    static std::string constants(const std::vector<std::string>& modifiers) {
        std::string sum;
        for (const std::string& modifier : modifiers)
            sum += (sum.empty() ? "" : " | ") + std::string(in_ptx) + constant_of(modifier);
        return sum.empty() ? "0" : sum;
    }

    // ---- instructions

    std::string translate_instruction() {
        if (opcode_ == "bra") return branch();
        if (is_hint(opcode_)) return "";
        if (opcode_ == "trap") return "::__trap()";
        if (opcode_ == "exit") return "::simt::exit_thread()";
        if (opcode_ == "nanosleep") return "::__nanosleep(static_cast<unsigned>(" + source_at(0) + "))";
        if (opcode_ == "setp" || opcode_ == "set") return compare();
        if (opcode_ == "ld" || opcode_ == "ldu" || opcode_ == "st") return access();
        if (opcode_ == "atom" || opcode_ == "red") return atomic();
        if (opcode_ == "membar" || opcode_ == "fence") return fence();
        if (opcode_ == "bar" || opcode_ == "barrier") return barrier();
        if (opcode_ == "cp") return async_copy();
        if (opcode_ == "mma") return multiply();
        if (opcode_ == "ldmatrix" || opcode_ == "stmatrix") return move_matrix();
        if (opcode_ == "cvta") return convert_address();
        if (opcode_ == "isspacep") return is_space();
        if (opcode_ == "prmt") return permute();
        if (opcode_ == "testp") return test();
        if (opcode_ == "createpolicy") return target_at(0) + " = 0";
        if (is_in(opcode_, {"shfl", "vote", "match", "activemask", "redux", "elect"})) return warp_function();
        if (is_in(opcode_, {"add", "addc", "sub", "subc", "mad", "madc"}) && carries()) return with_carry();
        if (opcode_ == "mov" && (argument(0)[0] == '{' || argument(1)[0] == '{')) return pack();
        return plain_call();
    }

    std::string plain_call() {
        const auto row =
            std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.opcode == opcode_; });
        if (row == std::end(rows)) refuse();
        std::string of_template;
        const std::vector<std::string> of_types = take_types();
        if (of_types.size() != row->types) refuse();
        for (const std::string& suffix : suffixes_) {
            if (row->modifiers.find(" " + suffix + " ") == std::string_view::npos) refuse();
        }
        take_suffix("noftz");
        of_template = constants(suffixes_);
        for (const std::string& type : of_types) of_template += ", " + type;
        std::size_t count = arguments_.size();
        if (count < row->least_operands || count > row->most_operands) refuse();
        std::string call = std::string(in_ptx) + std::string(row->function) + "<" + of_template + ">(" + target_at(0);
        for (std::size_t i = 1; i < count; ++i) call += ", " + source_at(i);
        return call + ")";
    }

    std::string branch() {
        take_suffix("uni");
        expect_no_suffixes();
        labels_.push_back(argument(0));
        // A loop may wait for another thread.
        const std::string yield = placed_.count(argument(0)) ? "::simt::yield(); " : "";
        return yield + "goto " + label_name(argument(0));
    }

    /// The comparison with its second operator, as in setp.lt.and.
    std::string compare() {
        const std::string operation = take_one({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
                                                "geu", "num", "nan", "lo", "ls", "hi", "hs"});
        const std::string combine = take_one({"and", "or", "xor"});
        const bool flushes = take_suffix("ftz");
        const std::vector<std::string> of = take_types();
        const bool is_set = opcode_ == "set";
        if (operation.empty() || of.size() != (is_set ? 2 : 1)) refuse();
        expect_no_suffixes();
        expect_operands(combine.empty() ? 3 : 4, combine.empty() ? 3 : 4);
        if (of.back().find("x2") != std::string::npos) refuse();
        const std::string name = operation == "lo"   ? "lt"
                                 : operation == "ls" ? "le"
                                 : operation == "hi" ? "gt"
                                 : operation == "hs" ? "ge"
                                                     : operation;
        setup_ += "const bool simt_holds = " + std::string(in_ptx) + "compared<" + in_ptx + "Compare::" + name + ", " +
                  (flushes ? "::simt::ptx::ftz" : "0") + ", " + of.back() + ">(" + source_at(1) + ", " + source_at(2) +
                  "); ";
        const auto combined = [&](const std::string& result) {
            if (combine.empty()) return result;
            return result + (combine == "and" ? " & " : combine == "or" ? " | " : " ^ ") + condition_at(3);
        };
        if (is_set)
            return std::string(in_ptx) + "set_to<" + of[0] + ">(" + target_at(0) + ", " + combined("simt_holds") + ")";
        // (Both results are computed before either is written: a target may be the source.)
        setup_ +=
            "const bool simt_first = " + combined("simt_holds") + ", simt_second = " + combined("!simt_holds") + "; ";
        const std::vector<std::string> targets = parts_of(argument(0), '|');
        std::string code = target(targets[0], "bool") + " = simt_first";
        code += targets.size() > 1 ? ", " + target(targets[1], "bool") + " = simt_second" : ", void(simt_second)";
        return code;
    }

    /// Takes the space; true if it is shared memory.
    bool take_space() {
        take_suffixes({"global", "const", "local"});
        return take_suffix("shared") || take_suffix("shared::cta");
    }
    /// Takes how an access is ordered, as modifiers.
    std::vector<std::string> take_order() {
        std::vector<std::string> modifiers;
        for (const std::string_view word :
             {"volatile", "relaxed", "acquire", "release", "acq_rel", "cta", "gpu", "sys"}) {
            if (take_suffix(word)) modifiers.emplace_back(word);
        }
        if (take_suffix("cluster")) modifiers.emplace_back("gpu");
        return modifiers;
    }

    std::string access() {
        const bool is_store = opcode_ == "st", is_shared = take_space();
        const std::string how = constants(take_order());
        take_suffixes({"weak", "ca", "cg", "cs", "lu", "wb", "wt", "nc", "unified"});
        std::vector<std::string> always;
        if (take_suffix("cv")) always.emplace_back("volatile");
        take_those_with("L1::");
        take_those_with("L2::");
        const std::string vector = take_one({"v2", "v4", "v8"}), type = take_type();
        expect_no_suffixes();
        expect_operands(2, 3);
        const std::string& values = arguments_[is_store ? 1 : 0];
        if ((values[0] == '{') == vector.empty()) refuse();
        const std::string pointer = pointer_at(is_store ? 0 : 1, is_shared), array = list(values, !is_store);
        const std::string name = std::string(in_ptx) + (is_store ? "st<" : "ld<") + how +
                                 (always.empty() ? "" : " | " + constants(always)) + ", " + type + ">(";
        return name + (is_store ? pointer + ", " + array : array + ", " + pointer) + ")";
    }

    std::string atomic() {
        const bool is_shared = take_space(), is_reduction = opcode_ == "red";
        const std::string how = constants(take_order());
        take_suffix("noftz");
        take_those_with("L2::");
        const std::string operation = take_one({"add", "and", "or", "xor", "min", "max", "inc", "dec", "exch", "cas"});
        const std::string type = take_type();
        expect_no_suffixes();
        if (operation.empty() ||
            !is_in(type.substr(type.rfind(':') + 1), {"u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64"}))
            refuse();
        const std::size_t at = is_reduction ? 0 : 1, sources = operation == "cas" ? 2 : 1;
        expect_operands(at + 1 + sources, at + 2 + sources);
        std::string call = std::string(in_ptx) + "atom_" + operation + "<" + how + ", " + type + ">(" +
                           (is_reduction ? unused("unsigned long long") : target_at(0)) + ", " +
                           pointer_at(at, is_shared);
        for (std::size_t i = 1; i <= sources; ++i) call += ", " + source_at(at + i);
        return call + ")";
    }

    std::string fence() {
        if (!suffixes_.empty() && suffixes_[0] == "proxy") return "::__threadfence_block()";
        take_suffixes({"sc", "acq_rel", "acquire", "release"});
        const std::string scope = take_one({"cta", "gl", "gpu", "sys", "cluster"});
        expect_no_suffixes();
        if (scope.empty()) refuse();
        return scope == "cta"   ? "::__threadfence_block()"
               : scope == "sys" ? "::__threadfence_system()"
                                : "::__threadfence()";
    }

    std::string barrier() {
        take_suffixes({"aligned", "cta"});
        if (take_suffix("warp") && take_suffix("sync")) {
            expect_no_suffixes();
            return "::__syncwarp(static_cast<unsigned>(" + source_at(0) + "))";
        }
        if (take_suffix("red")) {
            const std::string operation = take_one({"popc", "and", "or"});
            take_suffixes({"u32", "pred"});
            expect_no_suffixes();
            expect_operands(3, 3);
            if (argument(1) != "0" || operation.empty()) refuse();
            return target_at(0) + " = ::__syncthreads_" + (operation == "popc" ? "count" : operation) + "(" +
                   condition_at(2) + ")";
        }
        const std::string kind = take_one({"sync", "arrive"});
        expect_no_suffixes();
        if (kind.empty()) refuse();
        expect_operands(kind == "sync" ? 1 : 2, 2);
        if (arguments_.size() == 1 && argument(0) == "0") return "::__syncthreads()";
        const std::string count = arguments_.size() > 1 ? source_at(1) : "::simt::threads_per_block()";
        return std::string(in_ptx) + "bar_" + kind + "(" + source_at(0) + ", " + count + ")";
    }

    std::string async_copy() {
        if (!take_suffix("async")) refuse();
        if (take_suffix("commit_group") && suffixes_.empty()) return std::string(in_ptx) + "cp_async_commit_group()";
        if (take_suffix("wait_group") && suffixes_.empty())
            return std::string(in_ptx) + "cp_async_wait_group(" + source_at(0) + ")";
        if (take_suffix("wait_all") && suffixes_.empty()) return std::string(in_ptx) + "cp_async_wait_all()";
        const bool is_to_shared = take_space();
        take_suffixes({"ca", "cg"});
        const bool has_policy = take_suffix("L2::cache_hint");
        take_those_with("L2::");
        expect_no_suffixes();
        if (!is_to_shared) refuse();
        expect_operands(3, 5);
        const std::size_t count = arguments_.size() - has_policy;
        std::string read = source_at(2);
        if (count > 3) {
            const Value given = value(argument(3));
            read = given.bits == 1 ? "(" + given.text + " ? 0ll : static_cast<long long>(" + read + "))" : given.text;
        }
        return std::string(in_ptx) + "cp_async(" + pointer_at(0, true) + ", " + pointer_at(1, false) + ", " +
               source_at(2) + ", " + read + ")";
    }

    std::string multiply() {
        take_suffixes({"sync", "aligned", "row", "col"});
        std::string shape;
        for (const std::string& suffix : suffixes_) {
            if (suffix[0] == 'm' && suffix.find('n') != std::string::npos) shape = suffix;
        }
        if (shape.empty()) refuse();
        take_suffix(shape);
        const std::size_t n = shape.find('n'), k = shape.find('k');
        if (k == std::string::npos || k < n) refuse();
        const std::string sizes =
            shape.substr(1, n - 1) + ", " + shape.substr(n + 1, k - n - 1) + ", " + shape.substr(k + 1);
        const bool saturates = take_suffix("satfinite");
        std::string combine = take_one({"xor", "and"});
        if (!combine.empty() && !take_suffix("popc")) refuse();
        const std::vector<std::string> of = take_types();
        expect_no_suffixes();
        expect_operands(4, 4);
        // (m8n8k4 is a product of doubles by the whole warp; of f16 it is four products by quarters.)
        if (of.size() != 4 || (shape == "m8n8k4" && of[1] != "::simt::ptx::f64")) refuse();
        const bool of_bits = of[1] == "::simt::ptx::b1";
        if (of_bits == combine.empty()) refuse();
        std::string of_template = (saturates ? "::simt::ptx::satfinite, " : "0, ") + sizes;
        const auto type = [](const std::string& name) {
            return name == "::simt::ptx::s32" ? std::string("int") : name;
        };
        for (const std::string& name : of) of_template += ", " + type(name);
        if (of_bits) of_template += combine == "xor" ? ", ::simt::matrix::XorPopc" : ", ::simt::matrix::AndPopc";
        std::string call = std::string(in_ptx) + "mma<" + of_template + ">(" + list(argument(0), true);
        for (std::size_t i = 1; i < 4; ++i) call += ", " + list(argument(i), false);
        return call + ")";
    }

    std::string move_matrix() {
        const bool is_store = opcode_ == "stmatrix";
        take_suffixes({"sync", "aligned"});
        const std::string count = take_one({"x1", "x2", "x4"});
        const bool transposes = take_suffix("trans"), is_right_shape = take_suffix("m8n8") && take_suffix("b16");
        const bool is_shared = take_space();
        expect_no_suffixes();
        if (count.empty() || !is_right_shape) refuse();
        expect_operands(2, 2);
        const std::string pointer = pointer_at(is_store ? 0 : 1, is_shared),
                          array = list(argument(is_store ? 1 : 0), !is_store);
        return std::string(in_ptx) + opcode_ + (transposes ? "<true>(" : "<false>(") +
               (is_store ? pointer + ", " + array : array + ", " + pointer) + ")";
    }

    std::string convert_address() {
        const bool goes_to = take_suffix("to"), is_shared = take_space();
        const std::string type = take_type();
        expect_no_suffixes();
        expect_operands(2, 2);
        if (!is_shared) return std::string(in_ptx) + "mov<0, " + type + ">(" + target_at(0) + ", " + source_at(1) + ")";
        const std::string result =
            goes_to ? "::__cvta_generic_to_shared(reinterpret_cast<const void*>(static_cast<unsigned long long>(" +
                          source_at(1) + ")))"
                    : "reinterpret_cast<unsigned long long>(::__cvta_shared_to_generic(" + source_at(1) + "))";
        return std::string(in_ptx) + "put(" + target_at(0) + ", static_cast<unsigned long long>(" + result + "))";
    }

    std::string is_space() {
        const std::string space = take_one({"global", "shared", "const", "local"});
        take_suffix("shared::cta");
        expect_operands(2, 2);
        if (space.empty() || !suffixes_.empty()) refuse();
        const std::string function = space == "global"   ? "Global"
                                     : space == "shared" ? "Shared"
                                     : space == "const"  ? "Constant"
                                                         : "Local";
        return target_at(0) + " = ::__is" + function + "(reinterpret_cast<const void*>(" + source_at(1) + ")) != 0";
    }

    std::string permute() {
        const std::string mode = take_one({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
        take_suffix("b32");
        expect_no_suffixes();
        expect_operands(4, 4);
        return std::string(in_ptx) + "prmt<" + in_ptx + "PermuteMode::" + (mode.empty() ? "index" : mode) + ">(" +
               target_at(0) + ", " + source_at(1) + ", " + source_at(2) + ", " + source_at(3) + ")";
    }

    std::string test() {
        const std::string what = take_one({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
        const std::string type = take_type();
        expect_no_suffixes();
        if (what.empty()) refuse();
        return std::string(in_ptx) + "testp<0, " + type + ">(" + target_at(0) + ", " + source_at(1) + ", \"" + what +
               "\")";
    }

    /// Whether the instruction sets or takes the carry.
    bool carries() const {
        return opcode_.back() == 'c' || std::find(suffixes_.begin(), suffixes_.end(), "cc") != suffixes_.end();
    }
    std::string with_carry() {
        const bool takes = opcode_.back() == 'c';
        if (takes && !has_carry_) throw NotSimulated{whole_ + " after a carry of another asm statement"};
        if (!has_carry_) before_ += "bool simt_carry = false; ";
        has_carry_ = true;
        const std::string type = take_type(), how = constants(suffixes_), first = opcode_.substr(0, 3);
        take_suffixes({"cc", "lo", "hi"});
        expect_no_suffixes();
        expect_operands(first == "mad" ? 4 : 3, first == "mad" ? 4 : 3);
        std::string call = std::string(in_ptx) +
                           (first == "add"   ? "add_with_carry"
                            : first == "sub" ? "subtract_with_borrow"
                                             : "multiply_add_with_carry") +
                           "<" + how + ", " + type + ">(" + target_at(0);
        for (std::size_t i = 1; i < arguments_.size(); ++i) call += ", " + source_at(i);
        return call + ", simt_carry, " + (takes ? "true)" : "false)");
    }

    std::string pack() {
        static_cast<void>(take_type());
        expect_no_suffixes();
        expect_operands(2, 2);
        if (argument(0)[0] == '{')
            return std::string(in_ptx) + "unpack(" + list(argument(0), true) + ", " + source_at(1) + ")";
        return std::string(in_ptx) + "pack(" + target_at(0) + ", " + list(argument(1), false) + ")";
    }

    std::string warp_function() {
        const bool syncs = take_suffix("sync");
        const auto mask_at = [&](std::size_t i) { return syncs ? source_at(i) : std::string("0xffffffffu"); };
        if (opcode_ == "activemask") return target_at(0) + " = ::__activemask()";
        if (opcode_ == "shfl") {
            const std::string mode = take_one({"up", "down", "bfly", "idx"});
            take_suffix("b32");
            expect_no_suffixes();
            expect_operands(syncs ? 5 : 4, syncs ? 5 : 4);
            if (mode.empty()) refuse();
            const auto [to, inside] = two_targets("unsigned");
            return std::string(in_ptx) + "shfl_sync<" + in_ptx + "Shuffle::" + mode + ">(" + to + ", " + inside + ", " +
                   source_at(1) + ", " + source_at(2) + ", " + source_at(3) + ", " + mask_at(4) + ")";
        }
        if (opcode_ == "vote") {
            const std::string mode = take_one({"all", "any", "uni", "ballot"});
            take_suffixes({"pred", "b32"});
            expect_no_suffixes();
            expect_operands(syncs ? 3 : 2, syncs ? 3 : 2);
            if (mode.empty()) refuse();
            return std::string(in_ptx) + "vote_" + mode + "(" + target_at(0) + ", " + condition_at(1) + ", " +
                   mask_at(2) + ")";
        }
        if (opcode_ == "match") {
            const std::string mode = take_one({"any", "all"}), type = take_type();
            expect_no_suffixes();
            expect_operands(3, 3);
            if (mode.empty() || !syncs) refuse();
            const auto [to, equal] = two_targets("unsigned");
            return std::string(in_ptx) + "match_" + mode + "<" + type + ">(" + to +
                   (mode == "all" ? ", " + equal : "") + ", " + source_at(1) + ", " + source_at(2) + ")";
        }
        if (opcode_ == "redux") {
            const std::string operation = take_one({"add", "min", "max", "and", "or", "xor"});
            const std::string type = take_type();
            expect_no_suffixes();
            expect_operands(3, 3);
            if (operation.empty() || !is_in(type.substr(type.rfind(':') + 1), {"u32", "s32", "b32"})) refuse();
            return std::string(in_ptx) + "redux_" + operation + "<" + type + ">(" + target_at(0) + ", " + source_at(1) +
                   ", " + source_at(2) + ")";
        }
        expect_no_suffixes();
        expect_operands(2, 2);
        const auto [to, leads] = two_targets("unsigned");
        return std::string(in_ptx) + "elect_sync(" + to + ", " + leads + ", " + source_at(1) + ")";
    }

    const std::vector<AsmOperand>& operands_;
    std::string text_;                   // with one percent sign before a name
    std::string before_, body_, after_;  // the block's declarations, its instructions, and the copies of its results
    std::vector<std::map<std::string, Value>> scopes_;
    std::vector<std::string> labels_;  // that something branches to
    std::set<std::string> placed_;     // that have been there
    unsigned registers_ = 0, lists_ = 0, unused_ = 0;
    bool has_carry_ = false;
    // Of the instruction: its name, whole and in parts, its operands, and the code before and after its call.
    std::string whole_, opcode_;
    std::vector<std::string> suffixes_, arguments_;
    std::string setup_, finish_;
};

}  // namespace

TranslatedPtx translate_ptx(std::string_view text, const std::vector<AsmOperand>& operands) {
    try {
        return {Translation(text, operands).translate(), ""};
    } catch (const NotSimulated& reason) {
        return {"", reason.what};
    }
}

}  // namespace simcc
