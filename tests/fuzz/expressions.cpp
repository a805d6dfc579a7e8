// SPDX-License-Identifier: MIT
// Expressions in x: what is refused is shown with a mark, and what is not has one meaning and harmless source.
#include <cstring>
#include <string>
#include <string_view>

#include "common/io/failure.hpp"
#include "tests/fuzz/target.hpp"
#include "tools/trapezoid/evaluation.hpp"
#include "tools/trapezoid/expression.hpp"

namespace {

// "--function: WHAT", a line with the text around the place, and one with the mark, which is below it or just behind.
void expect_mark(const std::string& message) {
    const std::size_t text = message.find('\n'), mark = message.find('\n', text + 1);
    if (text == message.npos || mark == message.npos || message.find('\n', mark + 1) != message.npos)
        broken("a message about an expression has three lines", message);
    expect_presentable(message.substr(0, text));
    if (mark > text + 1) expect_presentable(message.substr(text + 1, mark - text - 1));
    const std::size_t begin = mark + 1, end = message.size() - 1;
    if (message[end] != '^' || message.find_first_not_of(' ', begin) != end)
        broken("the last line is a mark alone", message);
    if (end - begin > mark - (text + 1)) broken("the mark is below the text", message);
}

void expect_harmless(const std::string& source) {
    const char* const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789+-*/<>(),. ";
    if (source.find_first_not_of(alphabet) != source.npos) broken("source has an alphabet of its own", source);
    for (const char* token : {"--", "++", "//", "/*", "->", ">>", "<<", "**"})
        if (source.find(token) != source.npos) broken("source has no such token", source);
}

}  // namespace

void fuzz_expression(std::string_view input) {
    const std::string text(input.substr(0, input.find('\0')));  // as an argument ends
    try {
        const Expression expression = Expression::parse(text, "--function");
        const std::string printed = expression.printed();
        const Expression again = Expression::parse(printed, "--function");
        if (again.printed() != printed) broken("what is printed reads back the same", printed);
        if (again.nodes().size() != expression.nodes().size()) broken("with the same nodes", printed);
        for (const DType dtype : {DType::f32, DType::f64}) {
            if (again.source(dtype) != expression.source(dtype)) broken("with the same source", printed);
            expect_harmless(expression.source(dtype));
        }
        const double points[] = {-1, 0, 0.5, 1e300};
        BlockValues<double> values(expression), values_again(again);
        values.evaluate(points, 4);
        values_again.evaluate(points, 4);
        if (std::memcmp(values.result(), values_again.result(), sizeof points) != 0)
            broken("with the same values", printed);
    } catch (const Failure& failure) {
        if (failure.exit() != Exit::usage) broken("a wrong expression is a usage error", failure.what());
        expect_mark(failure.what());
    }
}
