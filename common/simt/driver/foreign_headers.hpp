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

/// A toolkit has headers of libraries that the simulator lacks: programs would compile with them, and then not link. If
/// the preprocessed text includes one, returns a message that begins with the place of the #include; otherwise an empty
/// string. `own_headers` is the folder of the simulator's.
std::string message_about_foreign_header(std::string_view preprocessed, const std::string& own_headers);

}  // namespace simcc
