// The model as the kernels see it: matrices of tiles, layers, and the room that a pass works in.
#ifndef WAFERPAIR_MODEL_H
#define WAFERPAIR_MODEL_H
#include <stdint.h>

enum {
    GROUP = 32,       // rows of a tile
    BLOCK = 32,       // columns of a tile: numbers that share a scale
    POSITIONS = 256,  // positions in a block of the cache
    LANES = 16,       // positions whose keys lie side by side
    MOST_ROWS = 8,    // query rows that share a load of keys
    LIGHT = 800000,   // bytes of weights for each layer that one thread reads while several would meet (25 us)
    PRIVATE = 4,      // tokens up to which every thread prepares its own input instead of waiting for others
};

// Kinds of tiles; tile.h draws them. The integers of a kind are stored without sign: its excess is what was added.
enum kind { Q8, Q4, Q4M, Q5, Q5M, Q6, F16, BF16, F32, KINDS };

// A matrix is groups of 32 rows, each of them one stretch of memory: a tile for each 32 columns. Rows and columns
// that the matrix does not have are zeros.
struct matrix {
    uint8_t *tiles;
    int64_t stride;  // bytes from a group to the next: gate and up alternate
    int32_t kind, rows, groups, blocks;
};

struct layer {
    struct matrix q, k, v, out, gate, up, down;
    // Vectors are padded with zeros to a multiple of 32, or NULL.
    const float *attn_norm, *ffn_norm, *q_bias, *k_bias, *v_bias, *q_norm, *k_norm;
};

// Inputs of a product, token by token: as floats, and as signed bytes with a scale for each 32.
struct acts {
    int64_t width;    // numbers of a token: a multiple of 32
    float *x;         // NULL: nobody wants the floats
    int8_t *q;
    float *scale;
    float *sum;       // of a block: scale x the sum of its bytes
    int32_t *excess;  // -128 x the sum of a block's bytes
    int32_t *halves;  // minus the sums of a block's first and last 16 bytes
};

// A pass: n tokens at the positions first and following.
struct job {
    const int32_t *tokens;
    uint16_t *const *blocks;  // of the cache: see attention.h
    const float *turns;       // for each token: cosines, then sines, of the pairs of a head
    float *logits;            // of the last rows tokens
    const uint32_t *stop;     // not 0: leave at the next layer
    int32_t n, first, rows, stopped;
};

struct team;
struct model {
    int32_t layers, width, feed, heads, kv_heads, dim, vocab, window, threads;
    int32_t light;  // one thread computes a token sooner than several, which would wait for each other: see LIGHT
    float epsilon;
    struct layer *layer;
    struct matrix table, head;
    const float *norm;
    // Room for a pass.
    float *x;               // [token][width]: the residual stream
    float *qkv;             // [token]: queries, keys, values, each padded to whole groups
    struct acts in, att, hidden;
    struct acts *own_in, *own_att;  // of each thread, for PRIVATE tokens
    float **scratch;        // of each thread, for attention
    int64_t wide, qkv_wide, k_at, v_at, head_room;  // head_room: dim as a multiple of 16
    struct job job;
    struct team *team;
    void (*pass)(struct model *, int thread);
};

int64_t tile_bytes(int kind);
int kind_of(int type);
void wp_pack(const struct matrix *m, int type, int first, int rows, const uint8_t *raw, int64_t row_bytes);
void wp_row(const struct matrix *m, int row, float *out);

void pass_avx512(struct model *m, int thread);
void pass_avx2(struct model *m, int thread);
void product_alone_avx512(const struct matrix *m, const float *x, int n, float *out);
void product_alone_avx2(const struct matrix *m, const float *x, int n, float *out);

struct team *team_new(struct model *m);
void team_run(struct team *t);
void team_meet(struct team *t, int thread);
void team_free(struct team *t);
#endif
