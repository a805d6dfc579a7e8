// SPDX-License-Identifier: MIT
#include "tools/trapezoid/expression.hpp"

#include <algorithm>
#include <cstdlib>
#include <numbers>

#include "common/io/number_writer.hpp"
#include "common/io/text.hpp"

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
