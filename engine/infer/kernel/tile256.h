// A group of 32 rows times up to 4 tokens, by AVX2. pack_linux_amd64.c draws the tiles.
//
// VPMADDUBSW multiplies unsigned bytes by signed ones and adds pairs in 16 bits, which hold 2 x 127 x 63 but not
// 2 x 127 x 255: so the bytes of Q8 get their sign back, and the product is that of the absolute weight and the
// activation with the weight's sign. Eight rows are done at a time; sums of floats wait in out.

INLINE __m256i bits256(const uint8_t *plane, int at, char value) {
    int32_t mask;
    memcpy(&mask, plane + at, 4);
    // Each byte gets the byte of the mask that has its bit, and keeps that bit.
    __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(mask),
                                         _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
    __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201);
    __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
    return _mm256_and_si256(set, _mm256_set1_epi8(value));
}

// dword returns dword j of the 8 rows of a quarter; of Q8 with its sign.
INLINE __m256i dword(const int kind, const uint8_t *w, int j, int quarter) {
    if (kind == Q8)
        return _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(w + j * 128 + quarter * 32)), _mm256_set1_epi8(-128));
    __m256i two = _mm256_loadu_si256((const __m256i *)(w + j % 4 * 128 + quarter * 32));
    __m256i q = _mm256_and_si256(j < 4 ? two : _mm256_srli_epi16(two, 4), _mm256_set1_epi8(15));
    int at = j * 16 + quarter * 4;
    if (kind == Q5 || kind == Q5M || kind == Q6) q = _mm256_or_si256(q, bits256(w + 512, at, 16));
    if (kind == Q6) q = _mm256_or_si256(q, bits256(w + 640, at, 32));
    return q;
}

INLINE int32_t begin(const int kind, const struct token *a, int64_t block, int part) {
    switch (kind) {
    case Q4: return a->excess[block] >> 4;
    case Q5: return a->excess[block] >> 3;
    case Q6: return a->halves[2 * block + part] * 32;
    }
    return 0;
}

// pairs multiplies bytes, and adds two products in each 16 bits.
INLINE __m256i pairs(const int kind, __m256i w, __m256i x) {
    return kind == Q8 ? _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w)) : _mm256_maddubs_epi16(w, x);
}

// steps_of returns how many such sums of a kind fit in 16 bits: 2 x 128 x the highest weight each.
INLINE int steps_of(const int kind) { return kind == Q8 ? 1 : kind == Q6 ? 2 : kind == Q5 || kind == Q5M ? 4 : 8; }

INLINE __m256 halves8(const uint8_t *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }

INLINE void tile_integers(const int kind, const int T, const uint8_t *w, int blocks, const struct acts *a, int t0,
                          float *out, struct ahead ahead) {
    const int parts = kind == Q6 ? 2 : 1, steps = steps_of(kind);
    const int scales = kind == Q8 ? 1024 : kind == Q6 ? 768 : kind == Q5 || kind == Q5M ? 640 : 512;
    const int64_t bytes = tile_bytes_of(kind);
    struct token x[4];
    tokens_of(x, a, t0, T);
    memset(out, 0, T * GROUP * sizeof *out);
    for (int b = 0; b < blocks; b++, w += bytes) {
        prefetch(&ahead, bytes, T == 1);
        for (int at = 0; at < 4 * parts; at++) {
            const int quarter = at % 4, part = at / 4;
            __m256i c[4], few[4];
#pragma GCC unroll 4
            for (int t = 0; t < T; t++) c[t] = _mm256_set1_epi32(begin(kind, &x[t], b, part));
#pragma GCC unroll 8
            for (int i = 0; i < 8 / parts; i++) {
                const int j = kind == Q8 ? i : kind == Q6 ? part * 4 + i : i / 2 + i % 2 * 4;
                __m256i eight = dword(kind, w, j, quarter);
#pragma GCC unroll 4
                for (int t = 0; t < T; t++) {
                    int32_t four;
                    memcpy(&four, x[t].q + b * BLOCK + j * 4, 4);
                    __m256i two = pairs(kind, eight, _mm256_set1_epi32(four));
                    few[t] = i % steps == 0 ? two : _mm256_add_epi16(few[t], two);
                    if (i % steps == steps - 1) c[t] = _mm256_add_epi32(c[t], _mm256_madd_epi16(few[t], _mm256_set1_epi16(1)));
                }
            }
            __m256 s = halves8(w + scales + part * 64 + quarter * 16);
#pragma GCC unroll 4
            for (int t = 0; t < T; t++) {
                float *to = out + t * GROUP + quarter * 8;
                __m256 scale = _mm256_mul_ps(s, _mm256_set1_ps(x[t].scale[b]));
                __m256 sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(c[t]), scale, _mm256_loadu_ps(to));
                if (kind == Q4M || kind == Q5M)
                    sum = _mm256_fnmadd_ps(halves8(w + scales + 64 + quarter * 16),
                                           _mm256_set1_ps(x[t].sum[b]), sum);
                _mm256_storeu_ps(to, sum);
            }
        }
    }
}

// column returns column k of the 8 rows of a quarter.
INLINE __m256 column(const int kind, const uint8_t *w, int k, int quarter) {
    if (kind == F32) return _mm256_loadu_ps((const float *)(w + k * 128 + quarter * 32));
    __m128i h = _mm_loadu_si128((const __m128i *)(w + k * 64 + quarter * 16));
    if (kind == F16) return _mm256_cvtph_ps(h);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
}

// Two quarters at a time, so that the additions of a token need not wait for each other.
INLINE void tile_floats(const int kind, const int T, const uint8_t *w, int blocks, const struct acts *a, int t0,
                        float *out, struct ahead ahead) {
    const int64_t bytes = tile_bytes_of(kind);
    memset(out, 0, T * GROUP * sizeof *out);
    for (int b = 0; b < blocks; b++, w += bytes) {
        prefetch(&ahead, bytes, T == 1);
        for (int pair = 0; pair < 4; pair += 2) {
            __m256 sum[4][2];
#pragma GCC unroll 4
            for (int t = 0; t < T; t++) sum[t][0] = sum[t][1] = _mm256_setzero_ps();
            for (int k = 0; k < BLOCK; k++) {
                __m256 first = column(kind, w, k, pair), last = column(kind, w, k, pair + 1);
#pragma GCC unroll 4
                for (int t = 0; t < T; t++) {
                    __m256 x = _mm256_set1_ps(a->x[(t0 + t) * a->width + b * BLOCK + k]);
                    sum[t][0] = _mm256_fmadd_ps(first, x, sum[t][0]);
                    sum[t][1] = _mm256_fmadd_ps(last, x, sum[t][1]);
                }
            }
#pragma GCC unroll 4
            for (int t = 0; t < T; t++) {
                float *to = out + t * GROUP + pair * 8;
                _mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), sum[t][0]));
                _mm256_storeu_ps(to + 8, _mm256_add_ps(_mm256_loadu_ps(to + 8), sum[t][1]));
            }
        }
    }
}
