// How a table lies in a texture.

static const uint kTextureShift = 8;  // as in ../choose.hpp

uint2 texel_of(uint place) { return uint2(place & ((1u << kTextureShift) - 1), place >> kTextureShift); }
