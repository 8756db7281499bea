// simdjson as all of fmd includes it: without its checks of how it is called, which a build with
// assertions has and which cost a third of the reading. Of the text they say nothing. The same
// everywhere, for they change what its types hold.
#pragma once
#define SIMDJSON_DEVELOPMENT_CHECKS 0
#include <simdjson.h>
