// Includes simdjson without its checks of API use, which are on in builds with assertions and take
// a third of the parse time. (They do not check the text.) Include simdjson only through this file:
// the macro changes the layout of its types.
#pragma once
#define SIMDJSON_DEVELOPMENT_CHECKS 0
#include <simdjson.h>
