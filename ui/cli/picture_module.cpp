#include "ui/cli/picture_module.h"

extern "C" [[gnu::visibility("default")]] const fmd::cli::PictureModule fmd_picture{
    FMD_PICTURE_BUILD, fmd::picture::paint};
