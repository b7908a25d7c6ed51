// A pass: what every thread of the team does, from tokens to logits.
//
// Between two lines of bars all threads may read what any of them wrote before the first.
//
//   rows of the table -> x                                            tokens shared
//   for each layer  ====================================  here a pass may be stopped
//     norm of x -> in                                                 tokens shared (few: each thread all)
//     in x (q, k, v) -> qkv                              groups of rows shared
//     ===================================================
//     biases, norms of heads, rotation; keys and values -> cache      tokens shared
//     =================================================== (one token: neither bar, if threads have heads of their own)
//     attention -> att                                   KV heads x rows of queries shared
//     ===================================================
//     x += att x out                                     groups of rows shared
//     ===================================================
//     norm of x -> in; SwiGLU(in x gate, in x up) -> hidden
//     ===================================================
//     x += hidden x down
//   norm of x -> in x head -> logits

//
// Of the last layer only the tokens whose logits are wanted need more than keys and values: the others are skipped.

static void meet(struct model *m, int thread) {
    if (m->threads > 1) team_meet(m->team, thread);
}

// normed returns the norms of n tokens of x: in the thread's own room if they are few, else in that of all.
static struct acts normed(struct model *m, int thread, const float *x, const float *gain, int n) {
    int few = n <= PRIVATE, from = 0, to = n;
    struct acts a = few ? m->own_in[thread] : m->in;
    if (!few) share(n, m->threads, thread, &from, &to);
    for (int t = from; t < to; t++) norm(&a, t, x + t * m->wide, gain, m->width, m->epsilon);
    if (!few) meet(m, thread);
    return a;
}

// attended returns the attention of all tokens but the first ones as inputs of a product.
static struct acts attended(struct model *m, int thread, int skip) {
    int n = m->job.n - skip, few = n <= PRIVATE, from = 0, to = n;
    struct acts a = few ? m->own_att[thread] : m->att;
    a.x = m->att.x + skip * m->att.width;
    if (!few) share(n, m->threads, thread, &from, &to);
    for (int t = from; t < to; t++) quantise(&a, t, a.x + t * a.width);
    if (!few) meet(m, thread);
    return a;
}

// own_heads reports whether each thread does its own KV heads from their rows on, so that it need not wait for others:
// with one token, if threads share the heads evenly, and each head is whole groups of rows.
static int own_heads(const struct model *m) {
    return m->job.n == 1 && m->kv_heads % m->threads == 0 && m->dim % GROUP == 0;
}

// projected multiplies the thread's share of q, k and v: of all their groups, as if the matrices were one below the
// other, or those of its own heads.
static void projected(struct model *m, const struct layer *l, int thread, const struct acts *a, int skip) {
    const struct matrix *list[] = {&l->q, &l->k, &l->v};
    int64_t columns[] = {skip * m->qkv_wide, m->k_at, m->v_at};
    int from, to;
    share(l->q.groups + l->k.groups + l->v.groups, m->threads, thread, &from, &to);
    for (int i = 0; i < 3; i++) {
        int groups = list[i]->groups, first = from > 0 ? from : 0, last = to < groups ? to : groups, t = i == 0 ? skip : 0;
        if (own_heads(m)) share(groups, m->threads, thread, &first, &last);
        if (first < last) product(list[i], first, last, a, t, m->job.n - t, m->qkv + columns[i], m->qkv_wide, SET);
        from -= groups;
        to -= groups;
    }
}

static void finish_head(const struct model *m, float *x, const float *bias, const float *gain, const float *turns) {
    if (bias) add(x, bias, m->dim);
    if (gain) head_norm(x, gain, m->dim, m->epsilon);
    if (turns) rotate(x, turns, m->dim);
}

// finish completes the queries, the key and the value of a KV head at a token, and keeps the latter two.
static void finish(struct model *m, const struct layer *l, int layer, int head, int t, int skip) {
    int group = m->heads / m->kv_heads, dim = m->dim;
    const float *turns = m->job.turns + (int64_t)t * dim;
    float *row = m->qkv + t * m->qkv_wide;
    for (int h = head * group; t >= skip && h < (head + 1) * group; h++)
        finish_head(m, row + h * dim, l->q_bias ? l->q_bias + h * dim : NULL, l->q_norm, turns);
    float *key = row + m->k_at + head * dim, *value = row + m->v_at + head * dim;
    finish_head(m, key, l->k_bias ? l->k_bias + head * dim : NULL, l->k_norm, turns);
    finish_head(m, value, l->v_bias ? l->v_bias + head * dim : NULL, NULL, NULL);
    keep(m, layer, head, m->job.first + t, key, value);
}

// attend_own: with one token, a thread completes its KV heads and attends them.
static void attend_own(struct model *m, const struct layer *l, int layer, int thread) {
    int group = m->heads / m->kv_heads, head, to;
    share(m->kv_heads, m->threads, thread, &head, &to);
    for (; head < to; head++) {
        finish(m, l, layer, head, 0, 0);
        for (int begin = 0; begin < group; begin += ROWS)
            attend(m, thread, layer, head, begin, group - begin < ROWS ? group - begin : ROWS);
    }
}

// attend_all: threads take turns with parts of the rows of queries, as later tokens see more. Few rows are cut smaller
// than is best for one thread, so that every thread has some: a group's heads are shared, and its keys read twice.
static void attend_all(struct model *m, int layer, int thread, int skip) {
    int group = m->heads / m->kv_heads, first = skip * group, rows = m->job.n * group - first;
    int64_t each = ((int64_t)rows * m->kv_heads + m->threads - 1) / m->threads;
    int most = each < ROWS ? each : ROWS, parts = (rows + most - 1) / most;
    for (int64_t i = thread; i < (int64_t)parts * m->kv_heads; i += m->threads) {
        int begin = i / m->kv_heads * most;
        attend(m, thread, layer, i % m->kv_heads, first + begin, rows - begin < most ? rows - begin : most);
    }
}

static void finish_all(struct model *m, const struct layer *l, int layer, int thread, int skip) {
    int from, to;
    share(m->job.n, m->threads, thread, &from, &to);
    for (int t = from; t < to; t++)
        for (int head = 0; head < m->kv_heads; head++) finish(m, l, layer, head, t, skip);
}

// gated makes hidden of n tokens: SwiGLU of the rows of gate and up, and bytes of those.
static void gated(struct model *m, const struct layer *l, int thread, const struct acts *a, int n) {
    float gate[4 * GROUP], up[4 * GROUP];
    const struct acts *h = &m->hidden;
    int from, to, parts = (n + 3) / 4;
    share(l->gate.groups, m->threads, thread, &from, &to);
    for (int g = from; g < to; g++) {
        const uint8_t *wg = l->gate.tiles + g * l->gate.stride, *wu = l->up.tiles + g * l->up.stride;
        for (int i = 0; i < parts; i++) {
            int t = i * 4, T = n - t < 4 ? n - t : 4;
            tile(&l->gate, wg, a, t, T, gate, reading(&l->gate, wg, i, parts));
            tile(&l->up, wu, a, t, T, up, reading(&l->up, wu, i, parts));
            for (int k = 0; k < T; k++) {
                vf first = swiglu(vf_load(gate + k * GROUP), vf_load(up + k * GROUP));
                vf last = swiglu(vf_load(gate + k * GROUP + 16), vf_load(up + k * GROUP + 16));
                quantise32(h, t + k, g, first, last);
                if (h->x) {
                    vf_store(h->x + (t + k) * h->width + g * GROUP, first);
                    vf_store(h->x + (t + k) * h->width + g * GROUP + 16, last);
                }
            }
        }
    }
}

static void add_product(struct model *m, const struct matrix *w, int thread, const struct acts *a, int skip) {
    int from, to;
    share(w->groups, m->threads, thread, &from, &to);
    product(w, from, to, a, 0, m->job.n - skip, m->x + skip * m->wide, m->wide, ADD);
}

static void layer_pass(struct model *m, int layer, int thread) {
    const struct layer *l = &m->layer[layer];
    int n = m->job.n, skip = layer == m->layers - 1 ? n - m->job.rows : 0;
    struct acts a = normed(m, thread, m->x, l->attn_norm, n);
    projected(m, l, thread, &a, skip);
    if (!own_heads(m)) {
        meet(m, thread);
        finish_all(m, l, layer, thread, skip);
        if (skip == n) return;
        meet(m, thread);
        attend_all(m, layer, thread, skip);
    } else
        attend_own(m, l, layer, thread);
    meet(m, thread);
    a = attended(m, thread, skip);
    add_product(m, &l->out, thread, &a, skip);
    meet(m, thread);
    a = normed(m, thread, m->x + skip * m->wide, l->ffn_norm, n - skip);
    gated(m, l, thread, &a, n - skip);
    meet(m, thread);
    add_product(m, &l->down, thread, &m->hidden, skip);
}

static void logits(struct model *m, int thread) {
    int rows = m->job.rows, from, to;
    if (rows == 0) return;
    struct acts a = normed(m, thread, m->x + (m->job.n - rows) * m->wide, m->norm, rows);
    share(m->head.groups, m->threads, thread, &from, &to);
    product(&m->head, from, to, &a, 0, rows, m->job.logits, m->vocab, SOME);
}

void NAME(pass)(struct model *m, int thread) {
    struct job *j = &m->job;
    int from, to;
    share(j->n, m->threads, thread, &from, &to);
    for (int t = from; t < to; t++) wp_row(&m->table, j->tokens[t], m->x + t * m->wide);
    for (int i = 0; i < m->layers; i++) {
        if (thread == 0) j->stopped = __atomic_load_n(j->stop, __ATOMIC_RELAXED) != 0;
        meet(m, thread);
        if (j->stopped) return;
        layer_pass(m, i, thread);
    }
    meet(m, thread);
    logits(m, thread);
}

// product_alone quantises n tokens of padded floats and multiplies them: out[token][padded row].
void NAME(product_alone)(const struct matrix *m, const float *x, int n, float *out) {
    int64_t width = (int64_t)m->blocks * BLOCK, blocks = n * m->blocks;
    struct acts a = {.width = width, .x = (float *)x, .q = malloc(n * width), .scale = malloc(blocks * 4),
                     .sum = malloc(blocks * 4), .excess = malloc(blocks * 4), .halves = malloc(blocks * 8)};
    for (int t = 0; t < n; t++) quantise(&a, t, x + t * width);
    product(m, 0, m->groups, &a, 0, n, out, (int64_t)m->groups * GROUP, SET);
    free(a.q), free(a.scale), free(a.sum), free(a.excess), free(a.halves);
}
