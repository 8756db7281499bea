#include "ui/cli/picture_module.h"

#include "ui/client/paths.h"

extern "C" [[gnu::visibility("default")]] const fmd::cli::PictureModule fmd_picture{
    FMD_VERSION, fmd::picture::paint};
