// 16 floats, by AVX-512.
typedef __m512 vf;
enum { ROWS = 8, VALUES = 2 };  // attention: query rows that share a load of keys; vectors of values at once

INLINE vf vf_zero(void) { return _mm512_setzero_ps(); }
INLINE vf vf_set(float v) { return _mm512_set1_ps(v); }
INLINE vf vf_load(const float *p) { return _mm512_loadu_ps(p); }
INLINE void vf_store(float *p, vf v) { _mm512_storeu_ps(p, v); }
INLINE vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
INLINE vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
// vf_inverse: an estimate of 14 bits and one step of Newton's method, error below 2^-22; a third of a division's time.
INLINE vf vf_inverse(vf a) {
    vf r = _mm512_rcp14_ps(a);
    return _mm512_mul_ps(r, _mm512_fnmadd_ps(a, r, _mm512_set1_ps(2)));
}
INLINE vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
INLINE vf vf_max(vf a, vf b) { return _mm512_max_ps(a, b); }
INLINE vf vf_min(vf a, vf b) { return _mm512_min_ps(a, b); }
INLINE vf vf_abs(vf a) { return _mm512_abs_ps(a); }
INLINE vf vf_round(vf a) { return _mm512_roundscale_ps(a, 8); }
INLINE vf vf_scale2(vf a, vf n) { return _mm512_scalef_ps(a, n); }
INLINE float vf_sum(vf a) { return _mm512_reduce_add_ps(a); }
INLINE float vf_most(vf a) { return _mm512_reduce_max_ps(a); }
INLINE vf vf_half(const uint16_t *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }
INLINE void vf_to_half(uint16_t *p, vf v) { _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(v, 0)); }

// vf_within keeps the lanes i with from <= first + i <= to, and makes the others minus infinity.
INLINE vf vf_within(vf v, int first, int from, int to) {
    __m512i at = _mm512_add_epi32(_mm512_set1_epi32(first),
                                  _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __mmask16 in = _mm512_cmple_epi32_mask(_mm512_set1_epi32(from), at) & _mm512_cmple_epi32_mask(at, _mm512_set1_epi32(to));
    return _mm512_mask_mov_ps(_mm512_set1_ps(-INFINITY), in, v);
}

// vf_bytes rounds to signed bytes, stores them, and returns their sum.
INLINE int vf_bytes(int8_t *p, vf v) {
    __m128i q = _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(v));
    _mm_storeu_si128((__m128i *)p, q);
    __m128i s = _mm_dpbusd_epi32(_mm_setzero_si128(), _mm_set1_epi8(1), q);
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}
