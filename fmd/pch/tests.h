// common.h and GoogleTest: for the unit tests.
#include <gtest/gtest.h>

#include "fmd/pch/common.h"
