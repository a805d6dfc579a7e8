// SPDX-License-Identifier: MIT
// Common code of the property tests: random cases that can be repeated, and promises that say which case broke them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t n) { return random() % n; }

// A text of up to `longest` pieces.
template <std::size_t n>
std::string random_text(Random& random, const std::string_view (&pieces)[n], std::size_t longest) {
    std::string text;
    for (std::size_t count = below(random, longest + 1); count > 0; --count) text += pieces[below(random, n)];
    return text;
}

// Runs the cases of the properties named on the command line, or of all. A case gets a generator seeded only with its
// number: "NAME 17" on the command line runs that case again.
class Properties {
public:
    Properties(int count, char** arguments)
        : wanted_(count > 1 ? arguments[1] : ""), only_(count > 2 ? std::atoll(arguments[2]) : -1) {}

    template <typename Case>
    void check(const char* name, int cases, Case one) {
        if (!wanted_.empty() && wanted_ != name) return;
        for (int number = 0; number < cases; ++number) {
            if (only_ >= 0 && number != only_) continue;
            Random random(static_cast<std::uint64_t>(number));
            const std::string wrong = one(random);
            if (wrong.empty()) continue;
            std::printf("broken: %s %d: %s\n", name, number, wrong.c_str());
            broken_ = true;
            break;  // others would say the same
        }
        ++checked_;
    }

    int exit_status() const {
        if (checked_ == 0) std::printf("no property '%s'\n", wanted_.c_str());
        return broken_ || checked_ == 0;
    }

private:
    std::string wanted_;
    long long only_;
    bool broken_ = false;
    int checked_ = 0;
};
