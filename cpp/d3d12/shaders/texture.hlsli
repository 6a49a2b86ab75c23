// How a table lies in a texture.

uint2 texel_of(uint place) { return uint2(place & ((1u << kTextureShift) - 1), place >> kTextureShift); }
