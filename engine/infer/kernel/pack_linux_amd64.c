// Rows of a model file to tiles, and a row of tiles to floats.
//
// A tile is 32 rows x 32 columns. Its dword j of a row holds the columns 4j to 4j+3; the dwords of 16 rows lie side by
// side, so that one load of 64 bytes feeds 16 dot products that end in 16 lanes.
//
//   Q8   byte q + 128:  [8 dwords][32 rows][4]                                       1024 bytes
//   Q4…  4 bits:        [4][32 rows][4], dword j in the lower halves, j+4 above       512
//   Q5…  fifth bit:     [8 dwords][32 rows] of 4 bits, behind                         128
//   Q6   fifth, sixth:  two of these                                                  256
//   then binary16 of the 32 rows: scales (Q6: of the first 16 columns, of the last 16), and in Q4M and Q5M minimums
//   F16, BF16, F32:     [32 columns][32 rows]
//
// Excess: Q8 128, Q4 8, Q5 16, Q6 32. Q4M and Q5M have none: number = scale * q - minimum.
#include "model.h"
#include <string.h>
#pragma GCC target("avx2,fma,f16c")
#include <immintrin.h>

int64_t tile_bytes(int kind) {
    static const int64_t bytes[KINDS] = {1088, 576, 640, 704, 768, 896, 2048, 2048, 4096};
    return bytes[kind];
}

// kind_of returns how a type of ggml's is stored here, or -1.
int kind_of(int type) {
    switch (type) {
    case 0: return F32;
    case 1: return F16;
    case 2: return Q4;
    case 6: return Q5;
    case 7: case 13: return Q5M;
    case 8: return Q8;
    case 12: return Q4M;
    case 14: return Q6;
    case 30: return BF16;
    }
    return -1;
}

static float half(const uint8_t *p) {
    uint16_t h;
    memcpy(&h, p, 2);
    return _cvtsh_ss(h);
}

static uint16_t to_half(float v) { return _cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT); }

// 32 columns of a row.
struct part {
    uint8_t q[BLOCK];
    uint16_t scale, second, least;  // second: the scale of Q6's last 16
};

static void nibbles(uint8_t *q, const uint8_t *raw) {
    for (int i = 0; i < 16; i++) {
        q[i] = raw[i] & 15;
        q[i + 16] = raw[i] >> 4;
    }
}

static void fifth_bits(uint8_t *q, const uint8_t *raw) {
    uint32_t bits;
    memcpy(&bits, raw, 4);
    for (int i = 0; i < 32; i++) q[i] |= (bits >> i & 1) << 4;
}

static void k_scales(struct part *p, const uint8_t *block, int i) {
    const uint8_t *s = block + 4;
    int scale = i < 4 ? s[i] & 63 : (s[i + 4] & 15) | s[i - 4] >> 6 << 4;
    int least = i < 4 ? s[i + 4] & 63 : s[i + 4] >> 4 | s[i] >> 6 << 4;
    p->scale = to_half(half(block) * scale);
    p->least = to_half(half(block + 2) * least);
}

// k_nibbles: sub-block i of 8 is the lower or the upper half of 32 bytes.
static void k_nibbles(uint8_t *q, const uint8_t *raw, int i) {
    for (int l = 0; l < 32; l++) q[l] = raw[i / 2 * 32 + l] >> (i % 2 * 4) & 15;
}

static void part_q6k(struct part *p, const uint8_t *block, int i) {
    const uint8_t *low = block + i / 4 * 64 + i % 2 * 32, *high = block + 128 + i / 4 * 32;
    int low_shift = i % 4 / 2 * 4, high_shift = i % 4 * 2;
    for (int l = 0; l < 32; l++) p->q[l] = (low[l] >> low_shift & 15) | (high[l] >> high_shift & 3) << 4;
    float d = half(block + 208);
    p->scale = to_half(d * (int8_t)block[192 + 2 * i]);
    p->second = to_half(d * (int8_t)block[192 + 2 * i + 1]);
}

// part_of expands the columns 32b to 32b+31 of a row of an integer type.
static void part_of(struct part *p, int type, const uint8_t *row, int b) {
    const uint8_t *block;
    switch (type) {
    case 2:
        block = row + b * 18;
        memcpy(&p->scale, block, 2);
        nibbles(p->q, block + 2);
        return;
    case 6:
        block = row + b * 22;
        memcpy(&p->scale, block, 2);
        nibbles(p->q, block + 6);
        fifth_bits(p->q, block + 2);
        return;
    case 7:
        block = row + b * 24;
        memcpy(&p->scale, block, 2);
        memcpy(&p->least, block + 2, 2);
        p->least ^= 0x8000;  // it is added there
        nibbles(p->q, block + 8);
        fifth_bits(p->q, block + 4);
        return;
    case 8:
        block = row + b * 34;
        memcpy(&p->scale, block, 2);
        for (int i = 0; i < 32; i++) p->q[i] = block[2 + i] ^ 128;
        return;
    case 12:
        block = row + b / 8 * 144;
        k_scales(p, block, b % 8);
        k_nibbles(p->q, block + 16, b % 8);
        return;
    case 13:
        block = row + b / 8 * 176;
        k_scales(p, block, b % 8);
        k_nibbles(p->q, block + 48, b % 8);
        for (int l = 0; l < 32; l++) p->q[l] |= (block[16 + l] >> (b % 8) & 1) << 4;
        return;
    case 14:
        part_q6k(p, row + b / 8 * 210, b % 8);
        return;
    }
}

// put_bits puts one bit of each column of row r into a plane: [dword][row] of 4 bits.
static void put_bits(uint8_t *plane, const uint8_t *q, int bit, int r) {
    for (int j = 0; j < 8; j++) {
        uint8_t four = 0;
        for (int i = 0; i < 4; i++) four |= (q[4 * j + i] >> bit & 1) << i;
        plane[j * 16 + r / 2] |= four << (r % 2 * 4);
    }
}

// put_part puts 32 columns of row r into a tile. Bit planes must be zero before.
static void put_part(uint8_t *tile, int kind, const struct part *p, int r) {
    if (kind == Q8) {
        for (int j = 0; j < 8; j++) memcpy(tile + j * 128 + r * 4, p->q + 4 * j, 4);
        memcpy(tile + 1024 + 2 * r, &p->scale, 2);
        return;
    }
    uint8_t two[16];
    for (int i = 0; i < 16; i++) two[i] = (p->q[i] & 15) | p->q[i + 16] << 4;
    for (int j = 0; j < 4; j++) memcpy(tile + j * 128 + r * 4, two + 4 * j, 4);
    uint8_t *scales = tile + 512;
    for (int bit = 4; bit < (kind == Q6 ? 6 : kind == Q5 || kind == Q5M ? 5 : 4); bit++, scales += 128)
        put_bits(scales, p->q, bit, r);
    memcpy(scales + 2 * r, &p->scale, 2);
    if (kind == Q6) memcpy(scales + 64 + 2 * r, &p->second, 2);
    if (kind == Q4M || kind == Q5M) memcpy(scales + 64 + 2 * r, &p->least, 2);
}

// put_floats puts a row of numbers of 2 or 4 bytes into its tiles; row_bytes need not be whole blocks.
static void put_floats(uint8_t *tiles, int kind, const uint8_t *row, int64_t row_bytes, int r) {
    int size = kind == F32 ? 4 : 2;
    for (int64_t i = 0; i < row_bytes / size; i++) memcpy(tiles + (i * GROUP + r) * size, row + i * size, size);
}

// pack_group packs rows of one group, tile by tile, so that a tile is written while it is in the cache.
static void pack_group(const struct matrix *m, int type, int first, int rows, const uint8_t *raw, int64_t row_bytes) {
    uint8_t *tile = m->tiles + first / GROUP * m->stride;
    struct part p = {0};
    for (int b = 0; b < m->blocks; b++, tile += tile_bytes(m->kind))
        for (int r = 0; r < rows; r++) {
            part_of(&p, type, raw + r * row_bytes, b);
            put_part(tile, m->kind, &p, first % GROUP + r);
        }
}

// wp_pack packs rows of a file, from row first on, into a matrix whose memory is zero.
void wp_pack(const struct matrix *m, int type, int first, int rows, const uint8_t *raw, int64_t row_bytes) {
    for (int r = first, n; r < first + rows; r += n, raw += n * row_bytes) {
        n = GROUP - r % GROUP < first + rows - r ? GROUP - r % GROUP : first + rows - r;
        if (m->kind < F16) {
            pack_group(m, type, r, n, raw, row_bytes);
            continue;
        }
        uint8_t *tiles = m->tiles + r / GROUP * m->stride;
        for (int i = 0; i < n; i++) put_floats(tiles, m->kind, raw + i * row_bytes, row_bytes, r % GROUP + i);
    }
}

static int integer_at(const uint8_t *tile, int kind, int r, int i) {
    if (kind == Q8) return tile[i / 4 * 128 + r * 4 + i % 4];
    int q = tile[i % 16 / 4 * 128 + r * 4 + i % 4] >> (i / 16 * 4) & 15;
    int planes = kind == Q6 ? 2 : kind == Q5 || kind == Q5M ? 1 : 0;
    for (int p = 0; p < planes; p++)
        q |= (tile[512 + p * 128 + i / 4 * 16 + r / 2] >> (r % 2 * 4 + i % 4) & 1) << (4 + p);
    return q;
}

static void row_of_integers(const uint8_t *tile, int kind, int r, float *out) {
    static const int excess[KINDS] = {128, 8, 0, 16, 0, 32}, scales[KINDS] = {1024, 512, 512, 640, 640, 768};
    const uint8_t *s = tile + scales[kind] + 2 * r;
    float scale = half(s), second = kind == Q6 ? half(s + 64) : scale;
    float least = kind == Q4M || kind == Q5M ? half(s + 64) : 0;
    for (int i = 0; i < BLOCK; i++)
        out[i] = (i < 16 ? scale : second) * (integer_at(tile, kind, r, i) - excess[kind]) - least;
}

static void row_of_floats(const uint8_t *tile, int kind, int r, float *out) {
    for (int i = 0; i < BLOCK; i++) {
        const uint8_t *at = tile + (i * GROUP + r) * (kind == F32 ? 4 : 2);
        if (kind == F16) {
            out[i] = half(at);
            continue;
        }
        uint32_t bits = 0;
        memcpy(kind == F32 ? (uint8_t *)&bits : (uint8_t *)&bits + 2, at, kind == F32 ? 4 : 2);
        memcpy(out + i, &bits, 4);
    }
}

// wp_row returns a row as floats, padded to whole blocks: how a token's row of the table is read.
void wp_row(const struct matrix *m, int row, float *out) {
    const uint8_t *tile = m->tiles + row / GROUP * m->stride;
    for (int b = 0; b < m->blocks; b++, tile += tile_bytes(m->kind), out += BLOCK)
        (m->kind >= F16 ? row_of_floats : row_of_integers)(tile, m->kind, row % GROUP, out);
}
