// SPDX-License-Identifier: MIT
#include "tools/trapezoid/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "common/io/number_writer.hpp"
#include "common/io/text.hpp"
#include "common/measure/parallel.hpp"
#include "tools/trapezoid/evaluation.hpp"

namespace {

// As the kernels compute it (kernels/trapezoid/kernels.cuh).
template <typename T>
T left_side(const HostRule& rule, std::size_t i) {
    return std::fma(static_cast<T>(i), static_cast<T>(rule.step), static_cast<T>(rule.from));
}

template <typename T>
constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;

// A sum whose rounding errors are kept and added up separately (Knuth's two-sum).
struct CarefulSum {
    long double sum = 0, rest = 0;

    void add(long double value) {
        const long double total = sum + value, added = total - sum;
        rest += (sum - (total - added)) + (value - added);
        sum = total;
    }
};

// A share of the reference.
struct Share {
    CarefulSum sum;
    double magnitude = 0, error = 0;
    std::size_t escaped_at = std::numeric_limits<std::size_t>::max();  // the first such point
    std::string escaped = {};
    bool escaped_type = false;

    void add(const Share& other) {
        sum.add(other.sum.sum);
        sum.add(other.sum.rest);
        magnitude += other.magnitude;
        error += other.error;
        if (other.escaped_at >= escaped_at) return;
        escaped_at = other.escaped_at;
        escaped = other.escaped;
        escaped_type = other.escaped_type;
    }
};

// A block of points, in wider numbers than T, with bounds of the errors that T would make.
template <typename T>
class WideBlock {
public:
    using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

    explicit WideBlock(const Expression& expression)
        : expression_(expression), values_(expression), errors_(expression.nodes().size() * points_per_block) {}

    // Adds the heights at these points, each times `weight`. first_index: of the first one, for reports.
    void add_to(Share& share, const T* points, std::size_t count, std::size_t first_index, double weight) {
        const std::size_t nodes = expression_.nodes().size();
        for (std::size_t i = 0; i < nodes; ++i) {
            values_.evaluate_node(i, points, count);
            follow_errors(i, count);
            note_escape(share, i, points, count, first_index);
        }
        const Wide* const heights = values_.result();
        const double* const errors = errors_of(nodes - 1);
        Wide sum = 0;
        double magnitude = 0, error = 0;
        for (std::size_t k = 0; k < count; ++k) {
            sum += heights[k];
            magnitude += static_cast<double>(std::fabs(heights[k]));
            error += errors[k];
        }
        share.sum.add(static_cast<long double>(sum) * weight);
        share.magnitude += magnitude * weight;
        share.error += error * weight;
    }

private:
    static constexpr double u = unit_roundoff<T>, least = std::numeric_limits<T>::denorm_min();

    double* errors_of(std::size_t node) { return errors_.data() + node * points_per_block; }

    void follow_errors(std::size_t i, std::size_t count) {
        const Node& node = expression_.nodes()[i];
        double* const errors = errors_of(i);
        const double *const of_first = errors_of(node.first), *const of_second = errors_of(node.second);
        const Wide *const values = values_.of(i), *const first = values_.of(node.first),
                          *const second = values_.of(node.second);
        switch (node.kind) {
            case NodeKind::variable: std::fill_n(errors, count, 0.0); break;  // the points are the device's own
            case NodeKind::number: {
                const auto rounded = static_cast<T>(static_cast<double>(node.number));
                const auto error = static_cast<double>(std::fabs(node.number - static_cast<long double>(rounded)));
                std::fill_n(errors, count, error);
                break;
            }
            case NodeKind::negate: std::copy_n(of_first, count, errors); break;
            case NodeKind::add:
            case NodeKind::subtract:
                for (std::size_t k = 0; k < count; ++k)
                    errors[k] = of_first[k] + of_second[k] + u * magnitude_of(values[k]);
                break;
            case NodeKind::multiply:
                for (std::size_t k = 0; k < count; ++k)
                    errors[k] = magnitude_of(first[k]) * of_second[k] + magnitude_of(second[k]) * of_first[k] +
                                of_first[k] * of_second[k] + u * magnitude_of(values[k]) + least;
                break;
            default:
                for (std::size_t k = 0; k < count; ++k) {
                    const double passed_on = change_by(node, values[k], first[k], of_first[k], second[k], of_second[k]);
                    errors[k] = passed_on + rounding_of(node) * (magnitude_of(values[k]) + passed_on) + least;
                }
                if (node.kind == NodeKind::call && node.function->name == std::string("lgamma"))
                    for (std::size_t k = 0; k < count; ++k) errors[k] += rounding_of(node);
        }
    }

    static double magnitude_of(Wide value) { return std::fabs(static_cast<double>(value)); }

    // How far a node's value moves if its operands are wrong: its values at the ends of the intervals in which they may
    // be. (A NaN there is left to the device's own result.)
    static double change_by(const Node& node, Wide value, Wide first, double of_first, Wide second, double of_second) {
        if (of_first == 0 && of_second == 0) return 0;
        double change = 0;
        for (const int a : {-1, 1}) {
            for (const int b : {-1, 1}) {
                const Wide there = node_value<Wide>(node, first + a * of_first, second + b * of_second);
                change = std::fmax(change, magnitude_of(there - value));
            }
        }
        return change;
    }

    // Relative to the value: a unit in the last place is at most two unit roundoffs.
    static double rounding_of(const Node& node) {
        switch (node.kind) {
            case NodeKind::integer_power: return (std::abs(node.exponent) + 1) * u;
            case NodeKind::call: return 2 * node.function->ulps * u;
            default: return u;
        }
    }

    void note_escape(Share& share, std::size_t i, const T* points, std::size_t count, std::size_t first_index) {
        constexpr Wide largest = std::numeric_limits<T>::max();
        const Wide* const values = values_.of(i);
        for (std::size_t k = 0; k < count; ++k) {
            if (std::fabs(values[k]) <= largest || first_index + k >= share.escaped_at) continue;
            share.escaped_at = first_index + k;
            share.escaped = text("{} is {} at x = {}", expression_.printed(i),
                                 number_text(static_cast<double>(values[k])), number_text(points[k]));
            share.escaped_type = std::isfinite(values[k]);
            return;
        }
    }

    const Expression& expression_;
    BlockValues<Wide> values_;
    std::vector<double> errors_;
};

// Calls act(points, count, index of the first) for trapezoids begin to end, by blocks.
template <typename T, typename Act>
void for_each_block(const HostRule& rule, std::size_t begin, std::size_t end, Act act) {
    T points[points_per_block];
    for (std::size_t first = begin; first < end; first += points_per_block) {
        const std::size_t count = std::min(points_per_block, end - first);
        for (std::size_t k = 0; k < count; ++k) points[k] = left_side<T>(rule, first + k);
        act(points, count, first);
    }
}

template <typename T>
Reference reference_in(const Expression& expression, const HostRule& rule) {
    if (rule.n == 0) return {};
    // The first trapezoid's height is half of both ends; all others' are their left sides.
    Share ends;
    const T both[] = {static_cast<T>(rule.from), static_cast<T>(rule.to)};
    WideBlock<T>(expression).add_to(ends, both, 2, 0, 0.5);
    const Share inner = parallel_reduce(
        rule.n - 1, Share{},
        [&](std::size_t begin, std::size_t end) {
            Share share;
            WideBlock<T> block(expression);
            for_each_block<T>(rule, begin + 1, end + 1, [&](const T* points, std::size_t count, std::size_t first) {
                block.add_to(share, points, count, first, 1);
            });
            return share;
        },
        [](Share a, const Share& b) {
            a.add(b);
            return a;
        });
    Share all = ends;
    all.add(inner);
    if (all.escaped.empty() && !(all.magnitude <= std::numeric_limits<T>::max())) {
        all.escaped = text("{} heights of {} add up to {:.4g}", rule.n, expression.printed(), all.magnitude);
        all.escaped_type = true;
    }
    return {all.sum.sum + all.sum.rest, all.magnitude, all.error, all.escaped, all.escaped_type};
}

}  // namespace

double Reference::allowed_error(std::size_t additions, DType dtype) const {
    const double u = dtype == DType::f32 ? unit_roundoff<float> : unit_roundoff<double>;
    // One more for the first height, and (1 + u)^k - 1 for k additions.
    const double grown = std::expm1(static_cast<double>(additions + 1) * std::log1p(u));
    return 1.001 * (function_error + grown * (magnitude + function_error));
}

Reference reference_sum(const Expression& expression, const HostRule& rule, DType dtype) {
    return dtype == DType::f32 ? reference_in<float>(expression, rule) : reference_in<double>(expression, rule);
}

template <typename T>
T sum_in_type(const Expression& expression, const HostRule& rule, std::size_t begin, std::size_t end) {
    BlockValues<T> values(expression);
    T sum = 0;
    if (begin == 0 && end > 0) {
        const T both[] = {static_cast<T>(rule.from), static_cast<T>(rule.to)};
        values.evaluate(both, 2);
        sum = (values.result()[0] + values.result()[1]) / 2;
        begin = 1;
    }
    for_each_block<T>(rule, begin, end, [&](const T* points, std::size_t count, std::size_t) {
        values.evaluate(points, count);
        const T* const heights = values.result();
        for (std::size_t k = 0; k < count; ++k) sum += heights[k];
    });
    return sum;
}

template float sum_in_type<float>(const Expression&, const HostRule&, std::size_t, std::size_t);
template double sum_in_type<double>(const Expression&, const HostRule&, std::size_t, std::size_t);
