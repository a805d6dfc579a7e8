// SPDX-License-Identifier: MIT
#include "common/gang/shared_input.hpp"

#include <cstddef>
#include <vector>

#include "common/io/output_file.hpp"
#include "common/io/text.hpp"

void refuse_sharing(const std::string& input) {
    fail(Exit::usage,
         "{} can only be read from the beginning, by one process: several can share .npy and raw files, and each reads "
         "some pieces; convert it, or start one process, which may drive all devices",
         input);
}

void expect_file(const std::string& path) {
    if (path == "-" || is_read_once(path)) refuse_sharing(input_name(path));
}

void expect_shared(Team& team, const NumberReader& reader, const std::string& path) {
    if (reader.count() < 0) refuse_sharing(path);
    const NumberLayout& layout = reader.layout();
    const std::string mine = text("{} numbers, {} {}", reader.count(), name_of(layout.stored), layout.shape);
    const std::vector<std::string> all = team.gather(mine);
    for (std::size_t process = 1; process < all.size(); ++process)
        if (all[process] != all.front())
            fail(Exit::bad_input, "{} is not the same file everywhere: rank {} sees {}, rank 0 {}", path, process,
                 all[process], all.front());
}
