// SPDX-License-Identifier: BSL-1.0
#pragma once

// What the core calls of features that a program does not use: nothing. The definitions in absent_*.cpp are weak. Each feature has a source
// of its own, which the linker takes out of the library only if the program calls one of its other functions (`ctx.ask`, `ctx.stash`,
// `ctx.watch`, …); its definitions replace the weak ones then. On the host all features are linked.

#define TACTOR_ABSENT [[gnu::weak]]  // only for absent_*.cpp

namespace tactor::inline v0::bare::internal {

// They do nothing. A program that calls them links the definitions for features that the program does not use.

void absent_lives() noexcept;     ///< how actors fail, restart, wait and end
void absent_messages() noexcept;  ///< limits of mailboxes, system messages, asks, stashes, watches
void absent_reports() noexcept;   ///< events, metrics, the log, names
void absent_timers() noexcept;    ///< timers and deadlines

}  // namespace tactor::inline v0::bare::internal
