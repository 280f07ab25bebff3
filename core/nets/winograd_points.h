// The points of Winograd's method: 0, these two of either sign, and infinity. Their squares have
// the product 1, which the transforms make use of.
#pragma once

namespace selfmate {

constexpr double kSmallPoint = 0.70710678118654752, kLargePoint = 1.41421356237309505;
constexpr double kSmallSquare = 0.5, kLargeSquare = 2.0;

}  // namespace selfmate
