// 16 floats, by AVX2.
typedef struct {
    __m256 a, b;
} vf;
enum { ROWS = 4, VALUES = 1 };

INLINE vf vf_of(__m256 a, __m256 b) { return (vf){a, b}; }
INLINE vf vf_set(float v) { return vf_of(_mm256_set1_ps(v), _mm256_set1_ps(v)); }
INLINE vf vf_zero(void) { return vf_set(0); }
INLINE vf vf_load(const float *p) { return vf_of(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)); }
INLINE void vf_store(float *p, vf v) {
    _mm256_storeu_ps(p, v.a);
    _mm256_storeu_ps(p + 8, v.b);
}
INLINE vf vf_add(vf a, vf b) { return vf_of(_mm256_add_ps(a.a, b.a), _mm256_add_ps(a.b, b.b)); }
INLINE vf vf_mul(vf a, vf b) { return vf_of(_mm256_mul_ps(a.a, b.a), _mm256_mul_ps(a.b, b.b)); }
INLINE vf vf_inverse(vf v) {
    __m256 one = _mm256_set1_ps(1);
    return vf_of(_mm256_div_ps(one, v.a), _mm256_div_ps(one, v.b));
}
INLINE vf vf_fma(vf a, vf b, vf c) { return vf_of(_mm256_fmadd_ps(a.a, b.a, c.a), _mm256_fmadd_ps(a.b, b.b, c.b)); }
INLINE vf vf_max(vf a, vf b) { return vf_of(_mm256_max_ps(a.a, b.a), _mm256_max_ps(a.b, b.b)); }
INLINE vf vf_min(vf a, vf b) { return vf_of(_mm256_min_ps(a.a, b.a), _mm256_min_ps(a.b, b.b)); }
INLINE vf vf_abs(vf v) {
    __m256 sign = _mm256_set1_ps(-0.0f);
    return vf_of(_mm256_andnot_ps(sign, v.a), _mm256_andnot_ps(sign, v.b));
}
INLINE vf vf_round(vf v) { return vf_of(_mm256_round_ps(v.a, 8), _mm256_round_ps(v.b, 8)); }

// scale8 multiplies by 2^n, -126 <= n <= 127.
INLINE __m256 scale8(__m256 a, __m256 n) {
    __m256i bits = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(a, _mm256_castsi256_ps(bits));
}
INLINE vf vf_scale2(vf a, vf n) { return vf_of(scale8(a.a, n.a), scale8(a.b, n.b)); }

INLINE float vf_sum(vf v) {
    __m256 s = _mm256_add_ps(v.a, v.b);
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
INLINE float vf_most(vf v) {
    __m256 s = _mm256_max_ps(v.a, v.b);
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
}
INLINE vf vf_half(const uint16_t *p) {
    return vf_of(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)), _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p + 8))));
}
INLINE void vf_to_half(uint16_t *p, vf v) {
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(v.a, 0));
    _mm_storeu_si128((__m128i *)(p + 8), _mm256_cvtps_ph(v.b, 0));
}

INLINE __m256 within8(__m256 v, int first, int from, int to) {
    __m256i at = _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i out = _mm256_or_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(from), at), _mm256_cmpgt_epi32(at, _mm256_set1_epi32(to)));
    return _mm256_blendv_ps(v, _mm256_set1_ps(-INFINITY), _mm256_castsi256_ps(out));
}
INLINE vf vf_within(vf v, int first, int from, int to) {
    return vf_of(within8(v.a, first, from, to), within8(v.b, first + 8, from, to));
}

INLINE int vf_bytes(int8_t *p, vf v) {
    __m256i a = _mm256_cvtps_epi32(v.a), b = _mm256_cvtps_epi32(v.b);
    __m256i w = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
    _mm_storeu_si128((__m128i *)p, _mm_packs_epi16(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1)));
    __m256i s = _mm256_add_epi32(a, b);
    __m128i x = _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 0xb1)));
}
