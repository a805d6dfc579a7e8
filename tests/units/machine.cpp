// SPDX-License-Identifier: MIT
// Prints the cores and bytes that this process may use; or, with a list of control groups and the folder of their tree,
// the cores and bytes that these allow, with "any" if there is no limit. tests/starved.bats compiles and runs it.
#include <cstdio>

#include "common/io/machine.hpp"

static void print(std::size_t number) {
    if (number == no_group_limit) std::printf("any\n");
    else std::printf("%zu\n", number);
}

int main(int count, char** arguments) {
    if (count < 3) {
        print(usable_cores());
        print(available_memory());
        return 0;
    }
    const GroupLimits limits = group_limits(arguments[1], arguments[2]);
    print(limits.cores);
    print(limits.memory);
}
