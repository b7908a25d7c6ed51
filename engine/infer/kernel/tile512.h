// A group of 32 rows times up to 4 tokens, by AVX-512 with VNNI. pack_linux_amd64.c draws the tiles.
//
// VPDPBUSD multiplies four unsigned bytes by four signed ones and adds the products to a lane of 32 bits: weights are
// the unsigned ones, 16 rows at once, and the activation is one dword for all lanes. A weight's excess is taken off by
// what the sum begins with.

INLINE __m512i bits512(const uint8_t *plane, int at, char value) {
    uint64_t mask;
    memcpy(&mask, plane + at, 8);
    return _mm512_maskz_mov_epi8(mask, _mm512_set1_epi8(value));
}

// dword returns dword j of 16 rows: the first 16 of the tile, or the last.
INLINE __m512i dword(const int kind, const uint8_t *w, int j, int last) {
    if (kind == Q8) return _mm512_loadu_si512(w + j * 128 + last * 64);
    __m512i two = _mm512_loadu_si512(w + j % 4 * 128 + last * 64);
    __m512i q = _mm512_and_si512(j < 4 ? two : _mm512_srli_epi16(two, 4), _mm512_set1_epi8(15));
    int at = j * 16 + last * 8;
    if (kind == Q5 || kind == Q5M || kind == Q6) q = _mm512_or_si512(q, bits512(w + 512, at, 16));
    if (kind == Q6) q = _mm512_or_si512(q, bits512(w + 640, at, 32));
    return q;
}

// begin returns what a sum begins with: the excess times the sum of the activations, taken off.
INLINE __m512i begin(const int kind, const struct token *a, int64_t block, int part) {
    switch (kind) {
    case Q8: return _mm512_set1_epi32(a->excess[block]);
    case Q4: return _mm512_set1_epi32(a->excess[block] >> 4);
    case Q5: return _mm512_set1_epi32(a->excess[block] >> 3);
    case Q6: return _mm512_set1_epi32(a->halves[2 * block + part] * 32);
    }
    return _mm512_setzero_si512();
}

INLINE __m512 halves16(const uint8_t *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }

INLINE void tile_integers(const int kind, const int T, const uint8_t *w, int blocks, const struct acts *a, int t0,
                          float *out, struct ahead ahead) {
    enum { SCALES_Q8 = 1024 };
    const int parts = kind == Q6 ? 2 : 1;
    const int scales = kind == Q8 ? SCALES_Q8 : kind == Q6 ? 768 : kind == Q5 || kind == Q5M ? 640 : 512;
    const int64_t bytes = tile_bytes_of(kind);
    struct token x[4];
    tokens_of(x, a, t0, T);
    __m512 sum[4][2];
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) sum[t][0] = sum[t][1] = _mm512_setzero_ps();
    for (int b = 0; b < blocks; b++, w += bytes) {
        prefetch(&ahead, bytes, T == 1);
#pragma GCC unroll 2
        for (int part = 0; part < parts; part++) {
            __m512i c[4][2];
#pragma GCC unroll 4
            for (int t = 0; t < T; t++) c[t][0] = c[t][1] = begin(kind, &x[t], b, part);
#pragma GCC unroll 8
            for (int i = 0; i < 8 / parts; i++) {
                // Both halves of a byte after each other, unless they have different scales.
                const int j = kind == Q8 ? i : kind == Q6 ? part * 4 + i : i / 2 + i % 2 * 4;
                __m512i first = dword(kind, w, j, 0), last = dword(kind, w, j, 1);
#pragma GCC unroll 4
                for (int t = 0; t < T; t++) {
                    int32_t four;
                    memcpy(&four, x[t].q + b * BLOCK + j * 4, 4);
                    __m512i all = _mm512_set1_epi32(four);
                    c[t][0] = _mm512_dpbusd_epi32(c[t][0], first, all);
                    c[t][1] = _mm512_dpbusd_epi32(c[t][1], last, all);
                }
            }
            __m512 s0 = halves16(w + scales + part * 64), s1 = halves16(w + scales + part * 64 + 32);
#pragma GCC unroll 4
            for (int t = 0; t < T; t++) {
                __m512 scale = _mm512_set1_ps(x[t].scale[b]);
                sum[t][0] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(c[t][0]), _mm512_mul_ps(s0, scale), sum[t][0]);
                sum[t][1] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(c[t][1]), _mm512_mul_ps(s1, scale), sum[t][1]);
            }
        }
        if (kind == Q4M || kind == Q5M) {
            __m512 m0 = halves16(w + scales + 64), m1 = halves16(w + scales + 96);
#pragma GCC unroll 4
            for (int t = 0; t < T; t++) {
                __m512 s = _mm512_set1_ps(x[t].sum[b]);
                sum[t][0] = _mm512_fnmadd_ps(m0, s, sum[t][0]);
                sum[t][1] = _mm512_fnmadd_ps(m1, s, sum[t][1]);
            }
        }
    }
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) {
        _mm512_storeu_ps(out + t * GROUP, sum[t][0]);
        _mm512_storeu_ps(out + t * GROUP + 16, sum[t][1]);
    }
}

// column returns column k of 16 rows.
INLINE __m512 column(const int kind, const uint8_t *w, int k, int last) {
    if (kind == F32) return _mm512_loadu_ps((const float *)(w + k * 128 + last * 64));
    __m256i h = _mm256_loadu_si256((const __m256i *)(w + k * 64 + last * 32));
    if (kind == F16) return _mm512_cvtph_ps(h);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}

// Two sums a row, of even and odd columns, so that one token's additions need not wait for each other.
INLINE void tile_floats(const int kind, const int T, const uint8_t *w, int blocks, const struct acts *a, int t0,
                        float *out, struct ahead ahead) {
    const int64_t bytes = tile_bytes_of(kind);
    const float *x[4];
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) x[t] = a->x + (t0 + t) * a->width;
    __m512 sum[4][2][2];
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) sum[t][0][0] = sum[t][0][1] = sum[t][1][0] = sum[t][1][1] = _mm512_setzero_ps();
    for (int b = 0; b < blocks; b++, w += bytes) {
        prefetch(&ahead, bytes, T == 1);
        for (int k = 0; k < BLOCK; k += 2) {
#pragma GCC unroll 2
            for (int odd = 0; odd < 2; odd++) {
                __m512 first = column(kind, w, k + odd, 0), last = column(kind, w, k + odd, 1);
#pragma GCC unroll 4
                for (int t = 0; t < T; t++) {
                    __m512 all = _mm512_set1_ps(x[t][b * BLOCK + k + odd]);
                    sum[t][odd][0] = _mm512_fmadd_ps(first, all, sum[t][odd][0]);
                    sum[t][odd][1] = _mm512_fmadd_ps(last, all, sum[t][odd][1]);
                }
            }
        }
    }
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) {
        _mm512_storeu_ps(out + t * GROUP, _mm512_add_ps(sum[t][0][0], sum[t][1][0]));
        _mm512_storeu_ps(out + t * GROUP + 16, _mm512_add_ps(sum[t][0][1], sum[t][1][1]));
    }
}
