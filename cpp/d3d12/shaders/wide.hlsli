// 64-bit integers as (low, high).

uint2 add_wide(uint2 a, uint2 b) {
    uint low = a.x + b.x;
    return uint2(low, a.y + b.y + (low < a.x ? 1 : 0));
}

uint2 multiply_words(uint a, uint b) {
    uint low = (a & 0xffff) * (b & 0xffff);
    uint middle = (a >> 16) * (b & 0xffff) + (low >> 16);
    uint other = (a & 0xffff) * (b >> 16) + (middle & 0xffff);
    return uint2(other << 16 | (low & 0xffff), (a >> 16) * (b >> 16) + (middle >> 16) + (other >> 16));
}

// The low 64 bits of the product.
uint2 multiply_wide(uint2 a, uint2 b) {
    uint2 product = multiply_words(a.x, b.x);
    return uint2(product.x, product.y + a.x * b.y + a.y * b.x);
}

// flip is the sign bit where the numbers have one.
bool is_less(uint2 a, uint2 b, uint flip) {
    uint a_high = a.y ^ flip;
    uint b_high = b.y ^ flip;
    return a_high < b_high || (a_high == b_high && a.x < b.x);
}
