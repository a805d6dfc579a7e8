// SPDX-License-Identifier: MIT
// Expressions on the host, by blocks of points: node after node, and each node for all points of the block, so that
// walking the tree costs little.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "tools/trapezoid/expression.hpp"

constexpr std::size_t points_per_block = 256;

// One node's value from those of its operands.
template <typename T>
T node_value(const Node& node, T first, T second) {
    switch (node.kind) {
        case NodeKind::add: return first + second;
        case NodeKind::subtract: return first - second;
        case NodeKind::multiply: return first * second;
        case NodeKind::divide: return first / second;
        case NodeKind::negate: return -first;
        case NodeKind::integer_power: {
            const T power = power_by_squaring(first, std::abs(node.exponent));
            return node.exponent < 0 ? 1 / power : power;
        }
        case NodeKind::call: return node.function->call<T>(first, second);
        default: return static_cast<T>(node.number);
    }
}

// The values of all nodes at the points of a block.
template <typename T>
class BlockValues {
public:
    explicit BlockValues(const Expression& expression)
        : nodes_(expression.nodes()), values_(nodes_.size() * points_per_block) {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].kind == NodeKind::number)
                for (std::size_t k = 0; k < points_per_block; ++k) of(i)[k] = static_cast<T>(nodes_[i].number);
    }

    T* of(std::size_t node) { return values_.data() + node * points_per_block; }
    const T* result() { return of(nodes_.size() - 1); }

    template <typename Point>
    void evaluate(const Point* points, std::size_t count) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) evaluate_node(i, points, count);
    }

    template <typename Point>
    void evaluate_node(std::size_t i, const Point* points, std::size_t count) {
        const Node& node = nodes_[i];
        T* const values = of(i);
        const T *const first = of(node.first), *const second = of(node.second);
        // (The operations that take no longer than a branch have loops of their own.)
        switch (node.kind) {
            case NodeKind::number: break;
            case NodeKind::variable:
                for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<T>(points[k]);
                break;
            case NodeKind::add:
                for (std::size_t k = 0; k < count; ++k) values[k] = first[k] + second[k];
                break;
            case NodeKind::multiply:
                for (std::size_t k = 0; k < count; ++k) values[k] = first[k] * second[k];
                break;
            default:
                for (std::size_t k = 0; k < count; ++k) values[k] = node_value(node, first[k], second[k]);
        }
    }

private:
    const std::vector<Node>& nodes_;
    std::vector<T> values_;
};
