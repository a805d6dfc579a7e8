// SPDX-License-Identifier: MIT
#include "tools/trapezoid/expression.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "common/io/decimal.hpp"
#include "common/io/number_writer.hpp"
#include "common/io/text.hpp"

namespace {

// `function` of one argument, and of two.
#define OF_ONE(name, function, ulps)                                                                                 \
    {                                                                                                                \
        name, #function, 1, ulps, [](float a, float) { return function##f(a); },                                     \
            [](double a, double) { return function(a); }, [](long double a, long double) { return function##l(a); }, \
    }
#define OF_TWO(name, function, ulps)                                                  \
    {                                                                                 \
        name, #function, 2, ulps, [](float a, float b) { return function##f(a, b); }, \
            [](double a, double b) { return function(a, b); },                        \
            [](long double a, long double b) { return function##l(a, b); },           \
    }

// (The gamma function's logarithm is off by more where it is nearly zero, and so are functions close to a pole.)
constexpr MathFunction functions[] = {
    OF_ONE("abs", fabs, 0),      OF_ONE("sqrt", sqrt, 0.5),    OF_ONE("cbrt", cbrt, 2),   OF_ONE("exp", exp, 2),
    OF_ONE("exp2", exp2, 2),     OF_ONE("expm1", expm1, 2),    OF_ONE("log", log, 2),     OF_ONE("log2", log2, 2),
    OF_ONE("log10", log10, 3),   OF_ONE("log1p", log1p, 2),    OF_ONE("sin", sin, 2),     OF_ONE("cos", cos, 2),
    OF_ONE("tan", tan, 4),       OF_ONE("asin", asin, 4),      OF_ONE("acos", acos, 4),   OF_ONE("atan", atan, 4),
    OF_ONE("sinh", sinh, 3),     OF_ONE("cosh", cosh, 2),      OF_ONE("tanh", tanh, 3),   OF_ONE("asinh", asinh, 4),
    OF_ONE("acosh", acosh, 4),   OF_ONE("atanh", atanh, 4),    OF_ONE("erf", erf, 2),     OF_ONE("erfc", erfc, 6),
    OF_ONE("gamma", tgamma, 11), OF_ONE("lgamma", lgamma, 16), OF_ONE("floor", floor, 0), OF_ONE("ceil", ceil, 0),
    OF_ONE("round", round, 0),   OF_ONE("trunc", trunc, 0),    OF_TWO("pow", pow, 9),     OF_TWO("atan2", atan2, 3),
    OF_TWO("hypot", hypot, 3),   OF_TWO("fmod", fmod, 0),      OF_TWO("min", fmin, 0),    OF_TWO("max", fmax, 0),
};

}  // namespace

const MathFunction* find_math_function(const std::string& name) {
    const auto found = std::find_if(std::begin(functions), std::end(functions),
                                    [&](const MathFunction& one) { return one.name == name; });
    return found == std::end(functions) ? nullptr : found;
}

std::string nearest_math_function(const std::string& name) {
    std::vector<std::string> names;
    for (const MathFunction& one : functions) names.push_back(one.name);
    return nearest_name(name, names);
}

// Reads expressions by recursive descent. What binds least comes first:
//     sum      product, then + or - and another one, and so on
//     product  signed, then * or / and another one, and so on
//     signed   a sign and a signed, or a power
//     power    an atom, or an atom ^ signed: from the right, and before the sign on its left, as in -x^2
//     atom     a number, x, pi, e, a function with its arguments, or a sum in parentheses

namespace {

// Beyond these an expression is a mistake, and a compiler could give up on it.
constexpr std::size_t most_nodes = 1000;
constexpr int deepest_nesting = 100;
constexpr int largest_integer_power = 64;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

class ExpressionParser {
public:
    ExpressionParser(const std::string& text, const std::string& option) : text_(text), option_(option) {}

    Expression run() {
        if (text_.find_first_not_of(" \t") == std::string::npos) refuse(0, "there is no expression");
        read_sum();
        if (peek() == ')') refuse(place_, "this ) closes nothing: leave it out, or open it");
        if (peek() == ',' || peek() == ';') refuse(place_, "only functions of two arguments have a comma");
        if (place_ < text_.size()) refuse_missing_operator();
        return std::move(result_);
    }

private:
    // Says what is wrong, and shows the text around the place with a mark below it.
    [[noreturn]] void refuse(std::size_t place, const std::string& what) const {
        constexpr std::size_t reach = 36;
        std::size_t begin = place > reach ? place - reach : 0, end = std::min(text_.size(), place + reach);
        std::string shown = begin > 0 ? "..." : "", mark(shown.size() + place - begin, ' ');
        for (std::size_t i = begin; i < end; ++i) shown += text_[i] >= ' ' && text_[i] <= '~' ? text_[i] : '?';
        if (end < text_.size()) shown += "...";
        fail(Exit::usage, "{}: {}\n    {}\n    {}^", option_, what, shown, mark);
    }

    // Past blanks, the next character; 0 at the end.
    char peek() {
        while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\t')) ++place_;
        return place_ < text_.size() ? text_[place_] : '\0';
    }
    bool take(char wanted) {
        if (peek() != wanted) return false;
        ++place_;
        return true;
    }

    std::size_t add(const Node& node) {
        if (result_.nodes_.size() >= most_nodes)
            refuse(place_,
                   text("the expression is too long: {} numbers, names and operations are the most", most_nodes));
        result_.nodes_.push_back(node);
        return result_.nodes_.size() - 1;
    }
    std::size_t add(NodeKind kind, std::size_t first, std::size_t second) {
        Node node;
        node.kind = kind;
        node.first = first;
        node.second = second;
        return add(node);
    }
    std::size_t add_number(long double value) {
        Node node;
        node.number = value;
        return add(node);
    }

    std::size_t read_sum() {
        if (++depth_ > deepest_nesting)
            refuse(place_, text("parentheses, signs and powers are nested more than {} deep", deepest_nesting));
        std::size_t sum = read_product();
        for (;;) {
            if (take('+')) sum = add(NodeKind::add, sum, read_product());
            else if (take('-')) sum = add(NodeKind::subtract, sum, read_product());
            else break;
        }
        --depth_;
        return sum;
    }

    std::size_t read_product() {
        std::size_t product = read_signed();
        for (;;) {
            if (take('*')) {
                if (peek() == '*') refuse(place_ - 1, "a power is written ^");
                product = add(NodeKind::multiply, product, read_signed());
            } else if (take('/')) {
                product = add(NodeKind::divide, product, read_signed());
            } else {
                return product;
            }
        }
    }

    std::size_t read_signed() {
        if (++depth_ > deepest_nesting)
            refuse(place_, text("parentheses, signs and powers are nested more than {} deep", deepest_nesting));
        std::size_t result;
        if (take('-')) result = add(NodeKind::negate, read_signed(), 0);
        else if (take('+')) result = read_signed();
        else result = read_power();
        --depth_;
        return result;
    }

    std::size_t read_power() {
        const std::size_t base = read_atom();
        if (!take('^')) return base;
        const std::size_t before = result_.nodes_.size(), exponent = read_signed();
        Node node;
        node.first = base;
        if (const std::optional<int> whole = whole_exponent(exponent)) {
            result_.nodes_.resize(before);  // the exponent is part of the node
            node.kind = NodeKind::integer_power;
            node.exponent = *whole;
        } else {
            node.kind = NodeKind::call;
            node.function = find_math_function("pow");
            node.second = exponent;
        }
        return add(node);
    }

    // The exponent if it is a small whole number, perhaps with a sign.
    std::optional<int> whole_exponent(std::size_t exponent) const {
        const Node* node = &result_.nodes_[exponent];
        const int sign = node->kind == NodeKind::negate ? -1 : 1;
        if (sign < 0) node = &result_.nodes_[node->first];
        if (node->kind != NodeKind::number || node->number != std::floor(node->number)) return {};
        if (node->number > largest_integer_power) return {};
        return sign * static_cast<int>(node->number);
    }

    std::size_t read_atom() {
        const char next = peek();
        const std::size_t begin = place_;
        if (is_digit(next) || next == '.') return read_number();
        if (begins_name(next)) return read_name();
        if (take('(')) {
            if (peek() == ')') refuse(place_, "an expression is missing between these parentheses");
            const std::size_t inner = read_sum();
            close(begin);
            return inner;
        }
        if (next == '\0') refuse(place_, "an operand is missing here");
        if (std::string(")+-*/^,;").find(next) != std::string::npos)
            refuse(place_, text("an operand is missing before this {}", std::string(1, next)));
        refuse(place_, "no expression has this character");
    }

    void close(std::size_t opened) {
        if (take(')')) return;
        if (peek() == '\0') refuse(opened, "this ( is not closed");
        if (peek() == ',' || peek() == ';') refuse(place_, "these are too many arguments");
        refuse_missing_operator();
    }

    [[noreturn]] void refuse_missing_operator() {
        const char next = peek();
        if (begins_name(next) || is_digit(next) || next == '(' || next == '.')
            refuse(place_, "an operator is missing before this, such as *");
        refuse(place_, "no expression has this character");
    }

    std::size_t read_number() {
        long double value = 0;
        const char *begin = text_.data() + place_, *end = text_.data() + text_.size();
        const auto [stopped, error] = real_from_chars(begin, end, value);
        if (error == std::errc::invalid_argument) refuse(place_, "this is not a number");
        if (error == std::errc::result_out_of_range || value > std::numeric_limits<double>::max())
            refuse(place_, "this number is outside the range of f64");
        place_ += static_cast<std::size_t>(stopped - begin);
        return add_number(value);
    }

    std::size_t read_name() {
        const std::size_t begin = place_;
        while (place_ < text_.size() && (begins_name(text_[place_]) || is_digit(text_[place_]))) ++place_;
        const std::string name = text_.substr(begin, place_ - begin);
        if (name == "x") return add(NodeKind::variable, 0, 0);
        if (name == "pi") return add_number(std::numbers::pi_v<long double>);
        if (name == "e") return add_number(std::numbers::e_v<long double>);
        const MathFunction* const function = find_math_function(name);
        if (function == nullptr) {
            const std::string nearest = nearest_math_function(name);
            refuse(begin, nearest.empty() ? "this name is not known: x is the variable, and pi and e are numbers"
                                          : "this name is not known; did you mean " + nearest + "?");
        }
        return read_call(*function, begin);
    }

    std::size_t read_call(const MathFunction& function, std::size_t begin) {
        const std::size_t opened = (peek(), place_);
        if (!take('(')) refuse(begin, text("{} needs its {} in parentheses", function.name, arguments_of(function)));
        Node node;
        node.kind = NodeKind::call;
        node.function = &function;
        if (peek() == ')') refuse(place_, text("{} needs its {} here", function.name, arguments_of(function)));
        node.first = read_sum();
        if (function.arguments == 2) {
            if (!take(',') && !take(';')) {
                if (peek() == ')')
                    refuse(place_, text("{} needs two arguments, with a comma between them", function.name));
                if (peek() == '\0') refuse(opened, "this ( is not closed");
                refuse_missing_operator();
            }
            node.second = read_sum();
        } else if (peek() == ',' || peek() == ';') {
            refuse(place_, text("{} has one argument", function.name));
        }
        close(opened);
        return add(node);
    }

    static const char* arguments_of(const MathFunction& function) {
        return function.arguments == 1 ? "argument" : "two arguments";
    }

    const std::string& text_;
    const std::string& option_;
    std::size_t place_ = 0;
    int depth_ = 0;
    Expression result_;
};

Expression Expression::parse(const std::string& text, const std::string& option) {
    return ExpressionParser(text, option).run();
}

const char* const powers_source = R"(
template <int exponent, typename T>
__device__ inline T power(T base) {
    T result = 1;
#pragma unroll
    for (int rest = exponent; rest > 0; rest /= 2) {
        if (rest % 2 == 1) result *= base;
        base *= base;
    }
    return result;
}
)";

namespace {

// How tightly a printed node binds: one that binds less than its surroundings gets parentheses.
enum Binding { sum_binding, product_binding, sign_binding, power_binding, atom_binding };

struct Printed {
    std::string words;
    Binding binding = atom_binding;

    std::string at_least(Binding needed) const { return binding < needed ? "(" + words + ")" : words; }
};

// How calls, numbers and powers are written; all else is the same in an expression and in C++.
struct Style {
    std::string (*number)(long double value, DType dtype);
    Printed (*power)(const Printed& base, int exponent);
    std::string (*name)(const MathFunction& function, DType dtype);
    const char* separator;
};

const Style as_typed = {
    [](long double value, DType) -> std::string {
        if (value == std::numbers::pi_v<long double>) return "pi";
        return value == std::numbers::e_v<long double> ? "e" : number_text(static_cast<double>(value));
    },
    [](const Printed& base, int exponent) {
        return Printed{text("{}^{}", base.at_least(atom_binding), exponent), power_binding};
    },
    [](const MathFunction& function, DType) { return std::string(function.name); },
    ";",
};

const Style as_source = {
    [](long double value, DType dtype) {
        return text("{}({:.17g})", dtype == DType::f32 ? "float" : "double", static_cast<double>(value));
    },
    [](const Printed& base, int exponent) {
        const std::string power = text("power<{}>({})", std::abs(exponent), base.words);
        return exponent < 0 ? Printed{"1/" + power, product_binding} : Printed{power};
    },
    [](const MathFunction& function, DType dtype) {
        return std::string(function.c_name) + (dtype == DType::f32 ? "f" : "");
    },
    ", ",
};

Printed print_node(const Node& node, const Printed& first, const Printed& second, const Style& style, DType dtype) {
    // The operand on the right of - and / needs parentheses that the one on the left does not; so does that of + and *,
    // whose operations would otherwise be done in another order.
    const auto infix = [&](const char* sign, Binding binding) {
        const bool is_signed = second.words[0] == '-';  // a--b would be another operation in C++
        const auto needed = is_signed ? atom_binding : static_cast<Binding>(binding + 1);
        return Printed{first.at_least(binding) + sign + second.at_least(needed), binding};
    };
    switch (node.kind) {
        case NodeKind::variable: return {"x"};
        case NodeKind::number: return {style.number(node.number, dtype)};
        case NodeKind::add: return infix("+", sum_binding);
        case NodeKind::subtract: return infix("-", sum_binding);
        case NodeKind::multiply: return infix("*", product_binding);
        case NodeKind::divide: return infix("/", product_binding);
        case NodeKind::negate: return {"-" + first.at_least(power_binding), sign_binding};
        case NodeKind::integer_power: return style.power(first, node.exponent);
        case NodeKind::call: break;
    }
    std::string words = style.name(*node.function, dtype) + "(" + first.words;
    if (node.function->arguments == 2) words += style.separator + second.words;
    return {words + ")"};
}

// Prints node `which`, with all its operands.
std::string print(const std::vector<Node>& nodes, std::size_t which, const Style& style, DType dtype) {
    std::vector<Printed> printed;
    printed.reserve(which + 1);
    const Printed nothing;
    const auto operand = [&](std::size_t i) -> const Printed& { return i < printed.size() ? printed[i] : nothing; };
    for (std::size_t i = 0; i <= which; ++i)
        printed.push_back(print_node(nodes[i], operand(nodes[i].first), operand(nodes[i].second), style, dtype));
    return printed.back().words;
}

}  // namespace

bool Expression::depends_on_x() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.kind == NodeKind::variable; });
}

std::size_t Expression::operations() const {
    std::size_t count = 0;
    for (const Node& node : nodes_) {
        if (node.kind == NodeKind::variable || node.kind == NodeKind::number) continue;
        if (node.kind != NodeKind::integer_power) {
            ++count;
            continue;
        }
        for (int rest = std::abs(node.exponent); rest > 1; rest /= 2) count += 1 + rest % 2;
        count += node.exponent < 0;
    }
    return count;
}

std::string Expression::printed() const { return printed(nodes_.size() - 1); }

std::string Expression::printed(std::size_t node) const { return print(nodes_, node, as_typed, DType::f64); }

std::string Expression::source(DType dtype) const { return print(nodes_, nodes_.size() - 1, as_source, dtype); }
