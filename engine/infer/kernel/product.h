// Matrices times tokens.

// Where to read ahead: so many lines for each tile.
struct ahead {
    const uint8_t *at;
    int64_t lines;
};

INLINE int64_t tile_bytes_of(const int kind) {
    const int64_t bytes[KINDS] = {1088, 576, 640, 704, 768, 896, 2048, 2048, 4096};
    return bytes[kind];
}

INLINE void prefetch(struct ahead *a, int64_t bytes, const int whole) {
    if (whole) {
#pragma GCC unroll 64
        for (int64_t i = 0; i < bytes; i += 64) _mm_prefetch((const char *)a->at + i, _MM_HINT_T0);
        a->at += bytes;
        return;
    }
    for (int64_t i = 0; i < a->lines; i++, a->at += 64) _mm_prefetch((const char *)a->at, _MM_HINT_T1);
}

// token is the inputs of one token: as acts has them, from their beginning.
struct token {
    const int8_t *q;
    const float *scale, *sum;
    const int32_t *excess, *halves;
};

INLINE void tokens_of(struct token *x, const struct acts *a, int64_t t0, const int T) {
    int64_t blocks = a->width / BLOCK;
#pragma GCC unroll 4
    for (int64_t t = 0; t < T; t++)
        x[t] = (struct token){a->q + (t0 + t) * a->width, a->scale + (t0 + t) * blocks, a->sum + (t0 + t) * blocks,
                              a->excess + (t0 + t) * blocks, a->halves + (t0 + t) * blocks * 2};
}

#ifdef WIDE
#include "tile512.h"
#else
#include "tile256.h"
#endif

INLINE void tile_tokens(const int kind, int T, const uint8_t *w, int blocks, const struct acts *a, int t0, float *out,
                        struct ahead ahead) {
    if (kind >= F16) switch (T) {
        case 1: tile_floats(kind, 1, w, blocks, a, t0, out, ahead); return;
        case 2: tile_floats(kind, 2, w, blocks, a, t0, out, ahead); return;
        case 3: tile_floats(kind, 3, w, blocks, a, t0, out, ahead); return;
        default: tile_floats(kind, 4, w, blocks, a, t0, out, ahead); return;
        }
    switch (T) {
    case 1: tile_integers(kind, 1, w, blocks, a, t0, out, ahead); return;
    case 2: tile_integers(kind, 2, w, blocks, a, t0, out, ahead); return;
    case 3: tile_integers(kind, 3, w, blocks, a, t0, out, ahead); return;
    default: tile_integers(kind, 4, w, blocks, a, t0, out, ahead); return;
    }
}

// tile computes a group of 32 rows times T <= 4 tokens from t0 on: out[token][32].
static void tile(const struct matrix *m, const uint8_t *w, const struct acts *a, int t0, int T, float *out,
                 struct ahead ahead) {
    switch (m->kind) {
    case Q8: tile_tokens(Q8, T, w, m->blocks, a, t0, out, ahead); return;
    case Q4: tile_tokens(Q4, T, w, m->blocks, a, t0, out, ahead); return;
    case Q4M: tile_tokens(Q4M, T, w, m->blocks, a, t0, out, ahead); return;
    case Q5: tile_tokens(Q5, T, w, m->blocks, a, t0, out, ahead); return;
    case Q5M: tile_tokens(Q5M, T, w, m->blocks, a, t0, out, ahead); return;
    case Q6: tile_tokens(Q6, T, w, m->blocks, a, t0, out, ahead); return;
    case F16: tile_tokens(F16, T, w, m->blocks, a, t0, out, ahead); return;
    case BF16: tile_tokens(BF16, T, w, m->blocks, a, t0, out, ahead); return;
    default: tile_tokens(F32, T, w, m->blocks, a, t0, out, ahead); return;
    }
}

enum { AHEAD = 8704 };  // bytes between what one token multiplies and what is read ahead

// reading returns what to read ahead during part i of parts of a group: with one part, what the same stream needs
// soon; with more, a share of the next group each.
INLINE struct ahead reading(const struct matrix *m, const uint8_t *w, int i, int parts) {
    if (parts == 1) return (struct ahead){w + AHEAD, tile_bytes_of(m->kind) / 64};
    int64_t lines = (tile_bytes_of(m->kind) / 64 + parts - 1) / parts;
    return (struct ahead){w + m->stride + i * lines * 64 * m->blocks, lines};
}

// Threads take contiguous shares.
INLINE void share(int n, int threads, int thread, int *from, int *to) {
    *from = (int64_t)n * thread / threads;
    *to = (int64_t)n * (thread + 1) / threads;
}

enum result { SET, ADD, SOME };  // all 32 numbers; added; only those of rows that there are

INLINE void put(float *to, const float *from, enum result how, int rows) {
    switch (how) {
    case SET: memcpy(to, from, GROUP * sizeof *to); return;
    case SOME: memcpy(to, from, (rows < GROUP ? rows : GROUP) * sizeof *to); return;
    case ADD:
        vf_store(to, vf_add(vf_load(to), vf_load(from)));
        vf_store(to + 16, vf_add(vf_load(to + 16), vf_load(from + 16)));
    }
}

// product computes the groups from to to-1 of a matrix times n tokens: out[token][row], tokens stride apart.
static void product(const struct matrix *m, int from, int to, const struct acts *a, int t0, int n, float *out,
                    int64_t stride, enum result how) {
    float four[4 * GROUP];
    int parts = (n + 3) / 4;
    for (int g = from; g < to; g++) {
        const uint8_t *w = m->tiles + g * m->stride;
        for (int i = 0; i < parts; i++) {
            int t = i * 4, T = n - t < 4 ? n - t : 4;
            tile(m, w, a, t0 + t, T, four, reading(m, w, i, parts));
            for (int k = 0; k < T; k++)
                put(out + (t + k) * stride + g * GROUP, four + k * GROUP, how, m->rows - g * GROUP);
        }
    }
}
