// SPDX-License-Identifier: MIT
#pragma once

constexpr const char* gridutils_version = "0.1.0";
