// SPDX-License-Identifier: MIT
// What a CUDA toolkit's folder of headers must not give to programs.
#pragma once

#include <string>
#include <string_view>

namespace simcc {

/// Whether CUDA's own headers are in this folder.
bool is_cuda_folder(const std::string& folder);

/// Takes the toolkits' folders out of CPATH, whose folders the compiler searches ahead of the simulator's.
void hide_toolkits();

/// Errors for the headers of libraries that the simulator lacks, each a line with the place of its #include; empty if
/// the preprocessed text includes none. A toolkit has such headers, and programs would compile with them, and then not
/// link. `own_headers` is the folder of the simulator's.
std::string messages_about_absent_headers(std::string_view preprocessed, const std::string& own_headers);

/// The compiler's messages, of which one about a missing header of Thrust or the toolkit's C++ library says where that
/// comes from.
std::string with_origin_of_missing_header(const std::string& messages);

}  // namespace simcc
