// common.h and GoogleTest: for the unit tests.
#pragma once
#include <gtest/gtest.h>

#include "fmd/pch/headers/common.h"
