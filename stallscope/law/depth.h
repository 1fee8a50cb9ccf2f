#pragma once

#include <optional>
#include <span>

#include "stallscope/law/law_points.h"

namespace stallscope {

/// The stall against layers at one place, over the networks of the family `layers`: as many gradient bytes in
/// each. The slope's interval is the wider of what measuring leaves open and what the networks' scatter
/// around the line says (Student's t). Nothing for fewer than three networks.
std::optional<LawDepth> DepthAt(const FitData& data, std::span<const FitPoint* const> points,
                                const ExchangeLaw& law);

}  // namespace stallscope
