// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <cstdlib>

namespace tactor::property {

/// The number of cases that each property of a program runs, unless RC_PARAMS is set; RapidCheck's
/// own default of 100 is too few for the rarer corners. A static of every test program: RapidCheck
/// reads the environment when the first property starts.
inline const int cases_by_default = ::setenv("RC_PARAMS", "max_success=500", 0);

}  // namespace tactor::property
