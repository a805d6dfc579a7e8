// SPDX-License-Identifier: MIT
// Device code converts floating-point numbers to integers as nvcc does where it says so without a cast, too. g++ tells
// the types: simt/conversions.hpp passes on whatever is not a floating-point number for an integer.
//
//     i = x; s.a = x;               ->    i = ::simt::Assigned<decltype(i)>::from(x);
//     int i = x;                    ->    int i = ::simt::Initialized<decltype(i)>::from(x);
//     i *= x;                       ->    i *= ::simt::Factor<decltype(i)>::from(x);
//     return x;                     ->    return ::simt::Assigned<int>::from(x); in a function of type int
//     f(x); T t(x)                  ->    f(::simt::Argument<int>::from(x)) if every f takes an int there
//     int a[2] = {x, y}; T{x, y}    ->    each with ::simt::Listed<decltype(a)>::from(x)
//
// What is made of integers stays as it is. Beyond the tokens are: arguments of constructors, of functions of which
// some overloads take integers, of operators, and of templates by their own arguments, `f<int>(x)`.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/number_names.hpp"
#include "common/simt/rewrite/operands.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {
namespace {

class ImplicitConversions {
public:
    ImplicitConversions(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits)
        : source_(source),
          braces_(braces),
          spaces_(spaces),
          edits_(edits),
          operands_(source, braces),
          names_(source),
          types_(names_of_types(source)) {
        collect_names();
        collect_functions();
    }

    void rewrite() {
        for (std::size_t i = 1; i < source_.size(); ++i) {
            if (source_[i] == "=") {
                if (is_in_code(i)) rewrite_assignment(i);
            } else if (source_[i] == "return") {
                if (source_[i + 1] != ";" && is_in_code(i)) rewrite_return(i);
            } else if (source_[i] == "{") {
                rewrite_braces(i);
            } else if (source_[i] == "(" && source_.is_identifier(i - 1)) {
                rewrite_parentheses(i);
            }
        }
    }

private:
    struct Parameter {
        std::string type;  // empty unless it is an integer
        bool is_optional, is_pack;
    };
    using Parameters = std::vector<Parameter>;

    // ---- what the file declares

    /// The parameters of all functions of a name, and of lambdas that are a variable's.
    void collect_functions() {
        for (std::size_t i = 1; i < source_.size(); ++i) {
            if (source_[i] != "(" || source_.partner(i) == Source::none) continue;
            const bool is_lambda = source_[i - 1] == "]" && source_.partner(i - 1) != Source::none;
            if (is_lambda) {
                const std::size_t open = source_.partner(i - 1);
                if (source_[open - 1] == "=" && source_.is_identifier(open - 2)) collect_parameters(open - 2, i);
            } else if (source_.is_identifier(i - 1) && declares_function(i - 1)) {
                collect_parameters(i - 1, i);
            }
        }
    }

    /// Whether the name before `(` is that of a declared function: a type or a specifier comes before it.
    bool declares_function(std::size_t i) const {
        if (is_expression_keyword(source_[i]) ||
            is_one_of(source_[i],
                      {"if", "for", "while", "switch", "catch", "__attribute__", "alignas", "__launch_bounds__"}))
            return false;
        if (braces_.in_function(i) && braces_.at(braces_.enclosing(i)).kind != BraceKind::type) return false;
        const std::size_t close = source_.partner(i + 1);
        const std::string_view behind = source_[close + 1];
        return is_one_of(behind, {"{", ";", ":", "const", "noexcept", "override", "final", "->", "volatile", "="});
    }

    void collect_parameters(std::size_t name, std::size_t open) {
        if (source_.is_declared_unread(source_[name])) return;
        Parameters parameters;
        const std::size_t close = source_.partner(open);
        for (std::size_t i = open + 1; i < close;) {
            std::size_t end = i;
            bool is_optional = false, is_pack = false;
            std::size_t type_end = Source::none;
            while (end < close && source_[end] != ",") {
                if (source_[end] == "=" && !is_optional) is_optional = true, type_end = end;
                is_pack |= source_[end] == ".";
                if (source_[end] == "<" && skip_angles(source_, end) != end) end = skip_angles(source_, end);
                else if (is_one_of(source_[end], {"(", "[", "{"}) && source_.partner(end) != Source::none)
                    end = source_.partner(end) + 1;
                else ++end;
            }
            if (type_end == Source::none) type_end = end;
            const bool is_known = !source_.in_system_header(name);
            parameters.push_back({is_known ? integer_type(i, type_end) : "", is_optional, is_pack});
            i = end + 1;
        }
        if (parameters.size() == 1 && source_[open + 1] == "void") parameters.clear();
        functions_[source_[name]].push_back(parameters);
    }

    /// The type of the parameter [first, last), with or without a name, if it is an integer.
    std::string integer_type(std::size_t first, std::size_t last) const {
        while (first < last && is_one_of(source_[first], {"const", "register"})) ++first;
        if (source_[first] == "std" && source_[first + 1] == "::") first += 2;
        std::size_t end = first;
        while (end < last && is_integer_keyword(source_[end])) ++end;
        if (end == first && (is_integer_name(source_[end]) || is_integer_alias(source_[end]))) ++end;
        if (end == first) return "";
        const std::size_t type_end = end;
        if (end < last && source_[end] == "const") ++end;
        if (end < last && source_.is_identifier(end)) ++end;
        return end == last ? source_.join(first, type_end) : "";
    }

    /// A name that the file gives to an integer type outside of all braces, and to nothing else.
    bool is_integer_alias(std::string_view name) const {
        return integer_aliases_.count(name) != 0 && !names_.is_variable(name);
    }

    void collect_names() {
        for (std::size_t i = 1; i + 1 < source_.size(); ++i) {
            if (is_one_of(source_[i - 1], {"struct", "class", "union", "enum"}) && source_.is_identifier(i))
                classes_.insert(source_[i]);
            const std::size_t open = braces_.enclosing(i);
            const bool is_member = open != Source::none && braces_.at(open).kind == BraceKind::type;
            if (is_member && source_[i + 1] == ":" && source_.is_identifier(i) &&
                (source_.is_identifier(i - 1) || source_[i - 1] == ","))
                bit_fields_.insert(source_[i]);
            if (open != Source::none || !is_integer_keyword(source_[i])) continue;
            if (source_[i - 1] == "=" && source_[i - 3] == "using") integer_aliases_.insert(source_[i - 2]);
            if (source_[statement_begin(source_, i)] == "typedef" && source_[i + 2] == ";")
                integer_aliases_.insert(source_[i + 1]);
        }
    }

    // ---- where the expressions are

    /// Whether token i is in a statement of device code, not in a type or a list of template parameters.
    bool is_in_code(std::size_t i) const {
        std::size_t open = braces_.enclosing(i);
        while (open != Source::none && braces_.at(open).kind == BraceKind::initializer)
            open = braces_.at(open).enclosing;
        return open != Source::none && braces_.at(open).kind == BraceKind::code && spaces_.is_device(i);
    }

    void rewrite_assignment(std::size_t i) {
        if (source_[i + 1] == "=" && source_.adjoins(i + 1)) return;
        const std::string_view before = source_.adjoins(i) ? source_[i - 1] : std::string_view{};
        if (is_one_of(before, {"=", "!", "<", ">", "%", "&", "|", "^"})) return;
        const bool is_compound = is_one_of(before, {"+", "-", "*", "/"});
        const std::size_t end_of_left = is_compound ? i - 1 : i;
        const std::size_t begin = operands_.left_begin(end_of_left), end = operands_.assigned_end(i + 1);
        if (begin >= end_of_left || is_one_of(source_[begin - 1], {"&", "[", "operator"})) return;
        if (is_one_of(source_[begin - 1], {",", "<"}) && is_deduced(begin)) return;
        if (source_[begin] == "*" && source_[begin - 1] == "," && is_list_of_declarators(begin)) return;
        if (is_target(begin, end_of_left)) {
            if (is_real_target(begin, end_of_left)) return;
            if (is_compound && bit_fields_.count(source_[end_of_left - 1]) != 0) {
                if (!is_repeatable(begin, end_of_left) || names_.are_integers(i + 1, end)) return;
                const std::string left = edits_.join(begin, end_of_left), sign(source_[i - 1]);
                edits_.replace(i - 1, i, "");
                edits_.insert_before(i + 1, "::simt::Assigned<decltype(" + left + ")>::from(" + left + sign + "(");
                edits_.insert_before(end, "))");
                return;
            }
            const bool is_declared = source_[begin - 1] == "," && is_list_of_declarators(begin);
            const std::string conversion = is_compound ? "Factor" : is_declared ? "Initialized" : "Assigned";
            const std::string type = "<decltype(" + edits_.join(begin, end_of_left) + ")>";
            if (source_[i + 1] == "{") convert_list(i + 1, type);
            else convert(i + 1, end, conversion + type);
        } else if (!is_compound && is_declaration(begin, i)) {
            std::size_t name = i - 1;
            while (source_[name] == "]") name = source_.partner(name) - 1;
            const std::string type = "<decltype(" + std::string(source_[name]) + ")>";
            if (source_[i + 1] == "{") convert_list(i + 1, type);
            else if (name == i - 1 && !is_class(begin, name)) convert(i + 1, end, "Initialized" + type);
        }
    }

    /// Whether the tokens [first, last) are an expression that can be assigned to: `a`, `p->a[i].b`, `*(p + 1)`.
    bool is_target(std::size_t first, std::size_t last) const {
        std::size_t i = first;
        while (is_one_of(source_[i], {"*", "+", "-"})) ++i;
        while (source_[i] == "(" && source_.partner(i) < last &&
               (source_.is_identifier(source_.partner(i) + 1) || source_[source_.partner(i) + 1] == "(")) {
            i = source_.partner(i) + 1;  // a cast
        }
        if (source_[i] == "(") {
            i = source_.partner(i);
            if (i == Source::none) return false;
            ++i;
        } else {
            if (source_[i] == "::") ++i;
            if (!source_.is_identifier(i) || is_expression_keyword(source_[i])) return false;
            if (is_one_of(source_[i], {"static_cast", "reinterpret_cast", "const_cast"}))
                i = skip_angles(source_, i + 1) - 1;
            if (is_one_of(source_[i], {"auto", "operator", "using", "typename", "template", "case", "goto"}) ||
                is_integer_keyword(source_[i]) || is_integer_name(source_[i]))
                return false;
            for (++i; source_[i] == "::" && source_.is_identifier(i + 1); i += 2) {}
            // `T (*rows)[4]` declares a pointer
            if (source_[i] == "(" && is_one_of(source_[i + 1], {"*", "&"}) && source_[i + 3] == ")" &&
                is_one_of(source_[i + 4], {"[", "("}))
                return false;
        }
        while (i < last) {
            if (source_[i] == "[" || source_[i] == "(") {
                i = source_.partner(i);
                if (i == Source::none) return false;
                ++i;
            } else if (source_[i] == "." || source_[i] == "->") {
                ++i;
                if (source_[i] == "template") ++i;
                if (!source_.is_identifier(i)) return false;
                ++i;
            } else {
                return false;
            }
        }
        const bool has_lambda = has_specifier(source_, first, last, "{");
        return i == last && !has_lambda;
    }

    /// Whether the target is a variable, or an element of one, whose name is only ever a floating-point number's.
    bool is_real_target(std::size_t first, std::size_t last) const {
        std::size_t i = first;
        while (source_[i] == "*") ++i;
        if (!source_.is_identifier(i) || !names_.is_real(source_[i])) return false;
        for (++i; i < last && source_[i] == "["; ++i) {
            i = source_.partner(i);
            if (i == Source::none) return false;
        }
        return i == last;
    }

    /// Whether the tokens [first, last) are a type and one name, or an array of that name: `const T a`.
    bool is_declaration(std::size_t first, std::size_t last) const {
        std::size_t name = last - 1;
        while (source_[name] == "]" && source_.partner(name) != Source::none && source_.partner(name) > first)
            name = source_.partner(name) - 1;
        if (name <= first || !source_.is_identifier(name)) return false;
        for (std::size_t i = first; i < name; ++i) {
            if (is_one_of(source_[i], {"auto", "using", "namespace", "operator", "typedef", "goto", "case", "class",
                                       "typename", "*", "&", "float", "double", "void"}) &&
                !(source_[i] == "typename" && i == first))
                return false;
        }
        return (source_.is_identifier(name - 1) && !is_expression_keyword(source_[name - 1])) ||
               (source_[name - 1] == ">" && operands_.is_angle(name - 1));
    }

    /// Whether the type [first, last) is certainly a class.
    bool is_class(std::size_t first, std::size_t last) const {
        const std::string_view type = source_[last - 1];
        if (type == ">") {
            for (std::size_t i = first; i < last; ++i) {
                if (source_[i] != "<") continue;
                const std::string_view name = source_[i - 1];
                return name.size() < 2 || name.substr(name.size() - 2) != "_t";
            }
            return true;
        }
        if (is_integer_keyword(type) || is_integer_name(type) || types_.count(type) != 0) return false;
        return classes_.count(type) != 0 || is_one_of(source_[first], {"struct", "union", "enum"}) ||
               is_one_of(type,
                         {"bool", "dim3", "half", "__half", "half2", "__half2", "nv_bfloat16", "__nv_bfloat16"}) ||
               (type.substr(0, 5) == "float" && type.size() == 6) ||
               (type.substr(0, 6) == "double" && type.size() == 7);
    }

    /// Whether token i belongs to a list such as `auto a = x, i = y`, in which nothing has a type yet.
    bool is_deduced(std::size_t i) const {
        while (i-- > 0) {
            const std::string_view token = source_[i];
            if (token == "auto" || token == "[" || token == "template") return true;
            if (is_one_of(token, {")", "]", "}"}) && source_.partner(i) != Source::none) i = source_.partner(i);
            else if (is_one_of(token, {";", "(", "{", "}"})) return false;
        }
        return false;
    }

    /// Whether token i, behind a comma, declares another name: `int a = 1, *p = x`.
    bool is_list_of_declarators(std::size_t i) const {
        while (i-- > 0) {
            const std::string_view token = source_[i];
            if (is_one_of(token, {")", "]", "}"}) && source_.partner(i) != Source::none) i = source_.partner(i);
            else if (is_one_of(token, {";", "(", "{", "}", "[", ":"})) break;
        }
        for (++i; is_one_of(source_[i], {"const", "static", "constexpr", "volatile"}); ++i) {}
        if (is_integer_keyword(source_[i]) || is_integer_name(source_[i])) return true;
        if (!source_.is_identifier(i) || is_expression_keyword(source_[i])) return false;
        for (++i; source_[i] == "::" && source_.is_identifier(i + 1); i += 2) {}
        if (source_[i] == "<") i = skip_angles(source_, i);
        return source_.is_identifier(i) || is_one_of(source_[i], {"*", "&"});
    }

    bool is_repeatable(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) {
            if (source_[i] == "(" || source_[i] == "=" || source_[i] == "+" || source_[i] == "-") return false;
        }
        return true;
    }

    // ---- results

    /// `return x;` in a function whose type may be an integer.
    void rewrite_return(std::size_t i) {
        std::size_t open = braces_.enclosing(i);
        while (!is_body(open)) {
            open = braces_.at(open).enclosing;
            if (open == Source::none || braces_.at(open).kind != BraceKind::code) return;
        }
        const std::string type = result_type(open);
        if (type.empty()) return;
        if (source_[i + 1] == "{") convert_list(i + 1, "<" + type + ">");
        else convert(i + 1, operands_.assigned_end(i + 1), "Assigned<" + type + ">");
    }

    /// Whether the `{` begins the body of a function or a lambda.
    bool is_body(std::size_t open) const {
        const std::size_t around = braces_.at(open).enclosing;
        if (around == Source::none || braces_.at(around).kind != BraceKind::code) return true;
        return lambda_parameters(open) != Source::none;
    }

    /// The `]` of the lambda whose body opens at `open`, or none.
    std::size_t lambda_parameters(std::size_t open) const {
        std::size_t i = open - 1;
        for (; i > 0 && source_[i] != ")" && source_[i] != "]"; --i) {
            const bool may_follow = source_.is_identifier(i) || is_one_of(source_[i], {"::", "->", ">", "<", ",", "*"});
            if (!may_follow || is_one_of(source_[i], {"else", "do", "try"})) return Source::none;
        }
        if (source_[i] == ")" && source_.partner(i) != Source::none) {
            i = source_.partner(i) - 1;
            if (source_[i] == "__attribute__") return Source::none;
        }
        if (source_[i] != "]" || source_.partner(i) == Source::none) return Source::none;
        const std::size_t first = source_.partner(i);
        return source_.is_identifier(first - 1) && source_[first - 1] != "return" ? Source::none : i;
    }

    /// The type that a function or lambda says it returns, if it may be an integer.
    std::string result_type(std::size_t open) const {
        std::size_t first = open, last = open;
        for (std::size_t i = open; i-- > 0 && source_[i] != ")" && source_[i] != "]";) {
            if (source_[i] == "->") {
                first = i + 1;
                break;
            }
            if (source_[i] == ";" || source_[i] == "{" || source_[i] == "}") break;
        }
        if (first == open) {
            if (lambda_parameters(open) != Source::none && braces_.at(open).enclosing != Source::none &&
                braces_.at(braces_.at(open).enclosing).kind == BraceKind::code)
                return "";
            for (std::size_t j = braces_.at(open).statement; j < open; ++j) {
                if (source_[j] == "operator" || source_[j] == "->") return "";
                if (source_[j] == "__attribute__" || source_[j] == "alignas" || source_[j] == "decltype") {
                    j = std::min(source_.partner(j + 1), open);
                } else if (source_[j] == "<" && skip_angles(source_, j) != j) {
                    j = skip_angles(source_, j) - 1;
                } else if (source_[j] == "(") {
                    last = j - 1;
                    break;
                }
            }
            if (last == open) return "";
            if (source_[last] == ">") return "";
            while (last > 1 && source_[last - 1] == "::") last -= 2;
            first = last;
            while (first > braces_.at(open).statement &&
                   (is_integer_keyword(source_[first - 1]) || is_integer_name(source_[first - 1]) ||
                    types_.count(source_[first - 1]) != 0))
                --first;
            if (source_[first - 1] == "::") {  // a type of another scope
                if (source_[first - 2] != "std") return "";
                first -= 2;
            }
        }
        if (first == last) return "";
        for (std::size_t i = first; i < last; ++i) {
            const bool is_type = is_integer_keyword(source_[i]) || is_integer_name(source_[i]) ||
                                 types_.count(source_[i]) != 0 || is_one_of(source_[i], {"const", "std", "::"});
            if (!is_type) return "";
        }
        return source_.join(first, last);
    }

    // ---- braces and parentheses behind a name

    /// `int a[2]{x, y}`, `int i{x}`, `T{x, y}`.
    void rewrite_braces(std::size_t open) {
        if (source_.partner(open) == Source::none || braces_.at(open).kind != BraceKind::initializer) return;
        if (!is_in_code(open - 1) || source_[open + 1] == "}") return;
        std::size_t name = open - 1;
        while (source_[name] == "]" && source_.partner(name) != Source::none) name = source_.partner(name) - 1;
        if (!source_.is_identifier(name)) return;
        const std::size_t begin = operands_.left_begin(open);
        if (begin < name && is_declaration(begin, open)) {
            if (name + 1 != open || !is_class(begin, name) || classes_.count(source_[name - 1]) != 0)
                convert_list(open, "<decltype(" + std::string(source_[name]) + ")>");
        } else if (name + 1 == open && !is_expression_keyword(source_[name]) && source_[name] != "auto" &&
                   !names_.is_variable(source_[name]) && source_[name - 1] != "::") {
            const bool is_type = is_integer_keyword(source_[name]) || is_integer_name(source_[name]) ||
                                 types_.count(source_[name]) != 0 || classes_.count(source_[name]) != 0 ||
                                 is_integer_vector(source_[name]);
            if (is_type) convert_list(open, "<" + std::string(source_[name]) + ">");
        }
    }

    /// int2, uchar4 and the like.
    static bool is_integer_vector(std::string_view name) {
        if (name.size() < 4 || name.back() < '1' || name.back() > '4') return false;
        name.remove_suffix(1);
        if (name.front() == 'u') name.remove_prefix(1);
        return is_one_of(name, {"int", "char", "short", "long", "longlong"});
    }

    /// `int i(x);`, `f(x)`, `make_int2(x, y)`, and `: a(x)` before the body of a constructor.
    void rewrite_parentheses(std::size_t open) {
        const std::size_t close = source_.partner(open), name = open - 1;
        if (close == Source::none || close == open + 1) return;
        if (!is_in_code(open)) {
            if (is_one_of(source_[name - 1], {":", ","})) rewrite_member_initializer(open);
            return;
        }
        if (is_expression_keyword(source_[name])) return;
        const std::size_t begin = operands_.left_begin(open);
        const bool is_behind_word = source_.is_identifier(name - 1) && !is_expression_keyword(source_[name - 1]);
        if (is_behind_word && !is_one_of(source_[name - 1], {"else", "do", "and", "or", "not", "throw"})) {
            const bool is_number = is_integer_keyword(source_[name - 1]) || is_integer_name(source_[name - 1]) ||
                                   types_.count(source_[name - 1]) != 0;
            const bool is_value = operands_.assigned_end(open + 1) == close &&
                                  is_one_of(source_[close + 1], {";", ",", ")"}) && !is_type_word(open + 1);
            if (is_number && is_value && begin < name && is_declaration(begin, open))
                convert(open + 1, close, "Initialized<decltype(" + std::string(source_[name]) + ")>");
            else if (classes_.count(source_[name - 1]) != 0 && !is_type_word(open + 1) && begin < name)
                convert_arguments(source_[name - 1], open);
            return;
        }
        if (source_[name].substr(0, 5) == "make_" && is_integer_vector(source_[name].substr(5))) {
            const std::string type(source_[name].substr(5));
            for_each_argument(open, [&](std::size_t, std::size_t first, std::size_t last) {
                convert(first, last, "Assigned<decltype(" + type + "().x)>");
            });
            return;
        }
        const bool is_atomic =
            source_[name].substr(0, 6) == "atomic" && source_[name].substr(0, 7) != "atomic_";  // a fence
        if (is_atomic || source_[name].substr(0, 6) == "__shfl") rewrite_exchange(open);
        convert_arguments(source_[name], open);
    }

    /// The arguments in the parentheses at `open` of functions, or constructors, of this name.
    void convert_arguments(std::string_view name, std::size_t open) {
        const auto found = functions_.find(name);
        if (found == functions_.end()) return;
        std::size_t count = 0;
        for_each_argument(open, [&](std::size_t, std::size_t, std::size_t) { ++count; });
        for_each_argument(open, [&](std::size_t n, std::size_t first, std::size_t last) {
            const std::string type = parameter_type(found->second, n, count);
            if (!type.empty()) convert(first, last, "Argument<" + type + ">");
        });
    }

    /// `atomicAdd(p, x)` and `__shfl_sync(mask, value, lane)`.
    void rewrite_exchange(std::size_t open) {
        const bool is_atomic = source_[open - 1].substr(0, 6) == "atomic";
        std::string type = "int";
        for_each_argument(open, [&](std::size_t n, std::size_t first, std::size_t last) {
            if (is_atomic && n == 0) {
                type = is_real_target(source_[first] == "&" ? first + 1 : first, last)
                           ? ""
                           : "decltype(*(" + edits_.join(first, last) + "))";
            } else if (is_atomic ? !type.empty() : n > 1) {
                convert(first, last, "Assigned<" + type + ">");
            }
        });
    }

    /// The type of argument n of `count`, if it is the same integer for all functions that take so many.
    static std::string parameter_type(const std::vector<Parameters>& functions, std::size_t n, std::size_t count) {
        std::string type;
        for (const Parameters& parameters : functions) {
            std::size_t needed = 0;
            bool has_pack = false;
            for (const Parameter& parameter : parameters) {
                needed += !parameter.is_optional && !parameter.is_pack;
                has_pack |= parameter.is_pack;
            }
            if (has_pack) return "";
            if (count < needed || count > parameters.size()) continue;
            if (parameters[n].type.empty() || (!type.empty() && type != parameters[n].type)) return "";
            type = parameters[n].type;
        }
        return type;
    }

    bool is_type_word(std::size_t i) const {
        return is_integer_keyword(source_[i]) || is_integer_name(source_[i]) ||
               is_one_of(source_[i], {"float", "double", "bool", "void", "const", "struct", "typename"});
    }

    /// `T::T(float x) : a(x), Base(x) {}`: by the member's type, or the constructor's.
    void rewrite_member_initializer(std::size_t open) {
        const std::size_t name = open - 1, close = source_.partner(open);
        std::size_t body = close + 1;  // of the constructor
        while (source_[body] == "," && source_.is_identifier(body + 1)) {
            std::size_t next = body + 2;
            if (source_[next] == "<") next = skip_angles(source_, next);
            if ((source_[next] != "(" && source_[next] != "{") || source_.partner(next) == Source::none) return;
            body = source_.partner(next) + 1;
        }
        if (source_[body] != "{" || braces_.at(body).kind != BraceKind::code || !spaces_.is_device(body + 1)) return;
        if (classes_.count(source_[name]) != 0) return convert_arguments(source_[name], open);
        if (names_.is_variable(source_[name]) && operands_.assigned_end(open + 1) == close)
            convert(open + 1, close, "Assigned<decltype(this->" + std::string(source_[name]) + ")>");
    }

    // ---- the edits

    template <typename Function>
    void for_each_argument(std::size_t open, Function function) const {
        const std::size_t close = source_.partner(open);
        std::size_t n = 0;
        for (std::size_t first = open + 1; first < close; ++n) {
            const std::size_t last = operands_.assigned_end(first);
            function(n, first, last);
            if (source_[last] != ",") break;
            first = last + 1;
        }
    }

    /// Each element of the list at `open`, however deep.
    void convert_list(std::size_t open, const std::string& type) {
        if (source_.partner(open) == Source::none) return;
        for_each_argument(open, [&](std::size_t, std::size_t first, std::size_t last) {
            if (source_[first] == "." && source_[first + 2] == "=") first += 3;
            if (source_[first] == "{") convert_list(first, type);
            else if (!is_number(first, last)) convert(first, last, "Listed" + type);
        });
    }

    /// A number with or without a sign, which g++ converts itself.
    bool is_number(std::size_t first, std::size_t last) const {
        if (is_one_of(source_[first], {"-", "+"})) ++first;
        return first + 1 == last && source_.token(first).kind == TokenKind::number;
    }

    /// Puts a conversion around the expression [first, last), unless it is a list, text, or made of integers.
    void convert(std::size_t first, std::size_t last, const std::string& conversion) {
        while (last > first && source_[last - 1] == ".") --last;  // a pack: `x...`
        if (first >= last || source_[first] == "{" || source_.is_literal(first) || names_.are_integers(first, last))
            return;
        edits_.insert_before(first, "::simt::" + conversion + "::from(");
        edits_.insert_before(last, ")");
    }

    const Source& source_;
    const Braces& braces_;
    const ExecutionSpaces& spaces_;
    Edits& edits_;
    const Operands operands_;
    const NumberNames names_;
    const std::unordered_set<std::string_view> types_;
    std::map<std::string_view, std::vector<Parameters>> functions_;
    std::unordered_set<std::string_view> classes_, bit_fields_, integer_aliases_;
};

}  // namespace

void rewrite_implicit_conversions(const Source& source, const Braces& braces, const ExecutionSpaces& spaces,
                                  Edits& edits) {
    ImplicitConversions(source, braces, spaces, edits).rewrite();
}

}  // namespace simcc
