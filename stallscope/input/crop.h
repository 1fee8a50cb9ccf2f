#pragma once

#include "stallscope/input/jpeg_decoder.h"
#include "stallscope/stats/random.h"

namespace stallscope {

/// torchvision's RandomResizedCrop with its defaults: 8 to 100 % of the area, sides 3:4 to 4:3, and a
/// central crop where ten tries do not fit.
PixelRegion RandomResizedCrop(const JpegSize& image, Random& random);

}  // namespace stallscope
