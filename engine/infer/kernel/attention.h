// Attention, in blocks of 256 positions with a running maximum (arXiv 2205.14135), so that no row of scores is as long
// as the context.
//
// The cache is blocks of 256 positions. A block has, for each layer and each KV head, its keys and then its values in
// binary16; room is the head size as a multiple of 16:
//
//   keys    [position / 16][room][16 positions]   16 scores are one vector
//   values  [position][room]
//
// A KV head's query rows are (token, head of its group); up to ROWS of them share each load of keys and values.

INLINE uint16_t *keys_of(const struct model *m, int layer, int head, int position) {
    int64_t half = (int64_t)POSITIONS * m->head_room;
    return m->job.blocks[position / POSITIONS] + ((int64_t)layer * m->kv_heads + head) * 2 * half;
}

INLINE uint16_t *values_of(const struct model *m, int layer, int head, int position) {
    return keys_of(m, layer, head, position) + (int64_t)POSITIONS * m->head_room;
}

// keep stores a key and a value.
static void keep(const struct model *m, int layer, int head, int position, const float *key, const float *value) {
    int at = position % POSITIONS;
    uint16_t *keys = keys_of(m, layer, head, position) + at / LANES * m->head_room * LANES + at % LANES;
    for (int i = 0; i < m->dim; i++) keys[i * LANES] = _cvtss_sh(key[i], 0);
    uint16_t *values = values_of(m, layer, head, position) + at * m->head_room;
    for (int i = 0; i < m->dim; i++) values[i] = _cvtss_sh(value[i], 0);
}

// What a thread works with: queries [dim][ROWS], scores [ROWS][256], sums [ROWS][room]. wp_room makes the room.
struct rows {
    float *query, *score, *sum;
    float most[ROWS], total[ROWS];
    int from[ROWS], to[ROWS];  // positions that each row sees
    int first, last;           // that any of them sees
};

// scores computes rows x positions from to to-1 of a block; positions out of a row's sight get minus infinity.
INLINE void scores(const int R, const struct model *m, struct rows *r, const uint16_t *keys, int base, int from, int to) {
    for (int at = from / LANES * LANES; at < to; at += LANES) {
        const uint16_t *k = keys + at * m->head_room;
        vf s[ROWS];
#pragma GCC unroll 8
        for (int i = 0; i < R; i++) s[i] = vf_zero();
        for (int d = 0; d < m->dim; d++) {
            vf key = vf_half(k + d * LANES);
#pragma GCC unroll 8
            for (int i = 0; i < R; i++) s[i] = vf_fma(vf_set(r->query[d * ROWS + i]), key, s[i]);
        }
#pragma GCC unroll 8
        for (int i = 0; i < R; i++) vf_store(r->score + i * POSITIONS + at, vf_within(s[i], base + at, r->from[i], r->to[i]));
    }
}

// shares turns the scores of a row into exp(score - maximum), and scales what was summed under a lower maximum.
static void shares(const struct model *m, struct rows *r, int i, int from, int to) {
    float *s = r->score + i * POSITIONS;
    int first = from / LANES * LANES;
    vf high = vf_set(r->most[i]);
    for (int at = first; at < to; at += LANES) high = vf_max(high, vf_load(s + at));
    float most = vf_most(high);
    if (most == -INFINITY) {  // the row sees nothing of this block
        memset(s + first, 0, (to - first) * sizeof *s);
        return;
    }
    float kept = expf(r->most[i] - most);
    vf total = vf_zero();
    for (int at = first; at < to; at += LANES) {
        vf e = vf_exp(vf_add(vf_load(s + at), vf_set(-most)));  // minus infinity becomes 1e-38
        vf_store(s + at, e);
        total = vf_add(total, e);
    }
    r->total[i] = r->total[i] * kept + vf_sum(total);
    r->most[i] = most;
    float *sum = r->sum + i * m->head_room;
    if (kept != 1)
        for (int d = 0; d < m->head_room; d += 16) vf_store(sum + d, vf_mul(vf_load(sum + d), vf_set(kept)));
}

// weigh adds the values of positions from to to-1, each times its share, to N vectors of the sums.
INLINE void weigh(const int R, const int N, const struct model *m, struct rows *r, const uint16_t *values, int d, int from, int to) {
    vf s[ROWS][VALUES];
#pragma GCC unroll 8
    for (int i = 0; i < R; i++)
#pragma GCC unroll 2
        for (int k = 0; k < N; k++) s[i][k] = vf_load(r->sum + i * m->head_room + d + 16 * k);
    for (int p = from; p < to; p++) {
        vf v[VALUES];
#pragma GCC unroll 2
        for (int k = 0; k < N; k++) v[k] = vf_half(values + p * m->head_room + d + 16 * k);
#pragma GCC unroll 8
        for (int i = 0; i < R; i++) {
            vf share = vf_set(r->score[i * POSITIONS + p]);
#pragma GCC unroll 2
            for (int k = 0; k < N; k++) s[i][k] = vf_fma(share, v[k], s[i][k]);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < R; i++)
#pragma GCC unroll 2
        for (int k = 0; k < N; k++) vf_store(r->sum + i * m->head_room + d + 16 * k, s[i][k]);
}

INLINE void look(const int R, const struct model *m, struct rows *r, int layer, int head) {
    for (int base = r->first / POSITIONS * POSITIONS; base <= r->last; base += POSITIONS) {
        int from = r->first > base ? r->first - base : 0;
        int to = r->last - base + 1 < POSITIONS ? r->last - base + 1 : POSITIONS;
        scores(R, m, r, keys_of(m, layer, head, base), base, from, to);
        for (int i = 0; i < R; i++) shares(m, r, i, from, to);
        const uint16_t *values = values_of(m, layer, head, base);
        int d = 0;
        for (; d + 16 * VALUES <= m->head_room; d += 16 * VALUES) weigh(R, VALUES, m, r, values, d, from, to);
        if (d < m->head_room) weigh(R, 1, m, r, values, d, from, to);
    }
}

static void look_rows(int R, const struct model *m, struct rows *r, int layer, int head) {
    switch (R) {
    case 1: look(1, m, r, layer, head); return;
    case 2: look(2, m, r, layer, head); return;
    case 3: look(3, m, r, layer, head); return;
    case 4: look(4, m, r, layer, head); return;
#ifdef WIDE
    case 5: look(5, m, r, layer, head); return;
    case 6: look(6, m, r, layer, head); return;
    case 7: look(7, m, r, layer, head); return;
    case 8: look(8, m, r, layer, head); return;
#endif
    }
}

// attend computes R query rows of a KV head, from row begin on: row t * group + i is head i of the group at token t.
static void attend(struct model *m, int thread, int layer, int head, int begin, int R) {
    int group = m->heads / m->kv_heads;
    float *room = m->scratch[thread];
    struct rows r = {.query = room, .sum = room + ROWS * m->head_room, .score = room + 2 * ROWS * m->head_room};
    float scale = 1 / sqrtf(m->dim);
    r.first = INT32_MAX;
    for (int i = 0; i < R; i++) {
        int t = (begin + i) / group, position = m->job.first + t;
        const float *q = m->qkv + t * m->qkv_wide + (head * group + (begin + i) % group) * m->dim;
        for (int d = 0; d < m->dim; d++) r.query[d * ROWS + i] = q[d] * scale;
        r.most[i] = -INFINITY;
        r.total[i] = 0;
        r.to[i] = position;
        r.from[i] = m->window > 0 && position - m->window + 1 > 0 ? position - m->window + 1 : 0;
        r.first = r.from[i] < r.first ? r.from[i] : r.first;
        r.last = position;  // tokens follow each other, so the last row sees the last position
    }
    memset(r.sum, 0, R * m->head_room * sizeof *r.sum);
    look_rows(R, m, &r, layer, head);
    for (int i = 0; i < R; i++) {
        int t = (begin + i) / group;
        float *out = m->att.x + t * m->att.width + (head * group + (begin + i) % group) * m->dim;
        const float *sum = r.sum + i * m->head_room;
        float inverse = 1 / r.total[i];
        for (int d = 0; d < m->dim; d++) out[d] = sum[d] * inverse;
    }
}
