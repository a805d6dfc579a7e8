// SPDX-License-Identifier: MIT
// Translates the text of an asm statement in PTX to C++.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simcc {

/// An operand of the asm statement: its constraint, as "=r", and its expression in C++.
struct AsmOperand {
    std::string constraint, expression;
};

struct TranslatedPtx {
    std::string code;           ///< one statement without its semicolon; empty if anything is not simulated:
    std::string not_simulated;  ///< the instruction, or what else it is
};

/// `text`: the PTX without comments.
TranslatedPtx translate_ptx(std::string_view text, const std::vector<AsmOperand>& operands);

}  // namespace simcc
