// What happens to tokens between products.

// vf_exp: e^v for v from about -87 to 88, beyond which it stays at the border. 2^n times a polynomial of degree 6 on
// half an octave around 0; relative error below 2e-7.
INLINE vf vf_exp(vf v) {
    v = vf_min(vf_max(v, vf_set(-87.0f)), vf_set(88.0f));
    vf n = vf_round(vf_mul(v, vf_set(1.44269504f)));
    vf r = vf_fma(n, vf_set(-0.693359375f), v);  // ln 2 in two parts, the first exact in few bits
    r = vf_fma(n, vf_set(2.12194440e-4f), r);
    vf p = vf_set(1.0f / 720);
    p = vf_fma(p, r, vf_set(1.0f / 120));
    p = vf_fma(p, r, vf_set(1.0f / 24));
    p = vf_fma(p, r, vf_set(1.0f / 6));
    p = vf_fma(p, r, vf_set(0.5f));
    p = vf_fma(p, r, vf_set(1));
    p = vf_fma(p, r, vf_set(1));
    return vf_scale2(p, n);
}

// quantise32 stores 32 numbers as signed bytes times a scale, as block b of token t.
INLINE void quantise32(const struct acts *a, int64_t t, int64_t b, vf first, vf last) {
    float most = vf_most(vf_max(vf_abs(first), vf_abs(last)));
    float inverse = most > 0 ? 127 / most : 0;
    int8_t *q = a->q + t * a->width + b * BLOCK;
    int64_t at = t * (a->width / BLOCK) + b;
    int s0 = vf_bytes(q, vf_mul(first, vf_set(inverse))), s1 = vf_bytes(q + 16, vf_mul(last, vf_set(inverse)));
    a->scale[at] = most / 127;
    a->sum[at] = most / 127 * (float)(s0 + s1);
    a->excess[at] = -128 * (s0 + s1);
    a->halves[2 * at] = -s0;
    a->halves[2 * at + 1] = -s1;
}

static void quantise(const struct acts *a, int64_t t, const float *x) {
    for (int64_t b = 0; b < a->width / BLOCK; b++) quantise32(a, t, b, vf_load(x + b * BLOCK), vf_load(x + b * BLOCK + 16));
}

// norm is RMSNorm of a token; width is without the padding, in which x and gain are zeros.
static void norm(const struct acts *a, int64_t t, const float *x, const float *gain, int width, float epsilon) {
    vf squares = vf_zero();
    for (int64_t i = 0; i < a->width; i += 16) squares = vf_fma(vf_load(x + i), vf_load(x + i), squares);
    vf scale = vf_set(1 / sqrtf(vf_sum(squares) / width + epsilon));
    float *to = a->x + t * a->width;
    for (int64_t i = 0; i < a->width; i += BLOCK) {
        vf first = vf_mul(vf_mul(vf_load(x + i), scale), vf_load(gain + i));
        vf last = vf_mul(vf_mul(vf_load(x + i + 16), scale), vf_load(gain + i + 16));
        vf_store(to + i, first);
        vf_store(to + i + 16, last);
        quantise32(a, t, i / BLOCK, first, last);
    }
}

INLINE vf swiglu(vf gate, vf up) {
    vf below = vf_add(vf_set(1), vf_exp(vf_mul(gate, vf_set(-1))));
    return vf_mul(vf_mul(up, gate), vf_inverse(below));
}

// head_norm is RMSNorm of one head, in place.
static void head_norm(float *x, const float *gain, int dim, float epsilon) {
    float squares = 0;
    for (int i = 0; i < dim; i++) squares += x[i] * x[i];
    float scale = 1 / sqrtf(squares / dim + epsilon);
    for (int i = 0; i < dim; i++) x[i] = x[i] * scale * gain[i];
}

// rotate turns the pairs i, i + dim/2 of a head.
static void rotate(float *restrict x, const float *restrict turns, int dim) {
    int half = dim / 2;
    for (int i = 0; i < half; i++) {
        float a = x[i], b = x[i + half], c = turns[i], s = turns[i + half];
        x[i] = a * c - b * s;
        x[i + half] = a * s + b * c;
    }
}

static void add(float *restrict x, const float *restrict more, int n) {
    for (int i = 0; i < n; i++) x[i] += more[i];
}
