// SPDX-License-Identifier: MIT
// What --list prints for a program with variants.
#pragma once

class Session;

// A row per variant.
void list_variants(const Session& session);

// With --published: a row per published figure, of a program with lectures.
void list_published(const Session& session);
