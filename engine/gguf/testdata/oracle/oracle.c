// llama.cpp as an oracle: what it makes of a model file.
//
//   oracle store IN OUT TYPE              the same model with matrices of another type, by llama.cpp's
//                                         numbers: 0 F32, 1 F16, 7 Q8_0, 32 BF16
//   oracle logits MODEL OUT BATCH WINDOW ID...
//       the logits of every position, float32. BATCH tokens go in at once (0: all). With a WINDOW, each
//       token goes in alone, and what it must not see was taken out of the cache before.
//
//   oracle tokens MODEL IN OUT SPECIAL
//       the tokens of each text in IN, with the names of special tokens read as such or not (SPECIAL 1, 0) and
//       BOS and EOS as the vocabulary wants them. IN and OUT are lists of a length (uint32) and so many bytes or
//       ids (int32).
//   oracle vocabulary MODEL OUT           for each token: its attributes, whether it ends an answer, and its text, as
//                                         in OUT above with the two numbers before the length
//   oracle chat TEMPLATE IN OUT ADD       the prompt of a conversation by the template in a file (or by its name); IN is
//                                         a list of roles and texts; ADD 1 begins an answer
//
// YARN is the three numbers "ext_factor beta_fast beta_slow", which llama.cpp does not take from files of these
// families. BINS is the folder of llama.cpp's libraries. The cache is float32, without flash attention.
#include "ggml-backend.h"
#include "llama.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void errors_only(enum ggml_log_level level, const char *text, void *user) {
    (void)user;
    if (level >= GGML_LOG_LEVEL_ERROR) fputs(text, stderr);
}

static int store(char **argv) {
    struct llama_model_quantize_params p = llama_model_quantize_default_params();
    p.ftype = atoi(argv[4]);
    p.nthread = 1;
    p.allow_requantize = true;
    return llama_model_quantize(argv[2], argv[3], &p);
}

static int logits(int argc, char **argv) {
    int batch = atoi(argv[4]), window = atoi(argv[5]), first = 6, n = argc - first;
    struct llama_model *m = llama_model_load_from_file(argv[2], llama_model_default_params());
    if (!m) return 1;
    int vocab = llama_vocab_n_tokens(llama_model_get_vocab(m));
    struct llama_context_params p = llama_context_default_params();
    p.n_ctx = n + 8;
    p.n_batch = p.n_ubatch = n + 1;
    p.n_threads = p.n_threads_batch = 1;
    p.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    p.type_k = p.type_v = GGML_TYPE_F32;
    if (getenv("YARN") && sscanf(getenv("YARN"), "%f %f %f", &p.yarn_ext_factor, &p.yarn_beta_fast, &p.yarn_beta_slow) != 3) return 2;
    struct llama_context *c = llama_init_from_model(m, p);
    if (!c) return 1;
    FILE *out = fopen(argv[3], "wb");
    if (!out) return 1;
    if (batch == 0) batch = n;
    if (window) batch = 1;
    struct llama_batch b = llama_batch_init(n + 1, 0, 1);
    for (int pos = 0; pos < n;) {
        if (window && pos >= window) llama_memory_seq_rm(llama_get_memory(c), 0, 0, pos - window + 1);
        b.n_tokens = 0;
        for (; b.n_tokens < batch && pos < n; b.n_tokens++, pos++) {
            int i = b.n_tokens;
            b.token[i] = atoi(argv[first + pos]);
            b.pos[i] = pos;
            b.n_seq_id[i] = 1;
            b.seq_id[i][0] = 0;
            b.logits[i] = 1;
        }
        if (llama_decode(c, b)) return 1;
        for (int i = 0; i < b.n_tokens; i++) fwrite(llama_get_logits_ith(c, i), 4, vocab, out);
    }
    return fclose(out);
}

// next reads a text of a list, with a zero after it; it returns NULL at the end of the list.
static char *next(FILE *in, uint32_t *n) {
    if (fread(n, 4, 1, in) != 1) return NULL;
    char *text = calloc(1, (size_t)*n + 1);
    if (!text || fread(text, 1, *n, in) != *n) exit(1);
    return text;
}

static int tokens(char **argv) {
    struct llama_model_params p = llama_model_default_params();
    p.vocab_only = 1;
    struct llama_model *m = llama_model_load_from_file(argv[2], p);
    FILE *in = fopen(argv[3], "rb"), *out = fopen(argv[4], "wb");
    if (!m || !in || !out) return 1;
    char *text;
    for (uint32_t n; (text = next(in, &n)); free(text)) {
        llama_token *ids = malloc(4 * ((size_t)n * 4 + 8));
        int32_t k = llama_tokenize(llama_model_get_vocab(m), text, n, ids, n * 4 + 8, 1, argv[5][0] == '1');
        if (k < 0) return 1;
        fwrite(&k, 4, 1, out);
        fwrite(ids, 4, k, out);
        free(ids);
    }
    return fclose(out);
}

static int vocabulary(char **argv) {
    struct llama_model_params p = llama_model_default_params();
    p.vocab_only = 1;
    struct llama_model *m = llama_model_load_from_file(argv[2], p);
    FILE *out = fopen(argv[3], "wb");
    if (!m || !out) return 1;
    const struct llama_vocab *v = llama_model_get_vocab(m);
    static char text[1 << 16];
    for (int32_t id = 0, n = llama_vocab_n_tokens(v); id < n; id++) {
        int32_t size = llama_token_to_piece(v, id, text, sizeof text, 0, 1);
        if (size < 0) return 1;
        int32_t of[3] = {llama_vocab_get_attr(v, id), llama_vocab_is_eog(v, id), size};
        fwrite(of, 4, 3, out);
        fwrite(text, 1, size, out);
    }
    return fclose(out);
}

static int chat(char **argv) {
    static char template[1 << 20], prompt[1 << 24];
    FILE *file = fopen(argv[2], "rb"), *in = fopen(argv[3], "rb"), *out = fopen(argv[4], "wb");
    if (!in || !out) return 1;
    if (file) fread(template, 1, sizeof template - 1, file);
    struct llama_chat_message list[256];
    size_t n = 0;
    for (uint32_t size; n < 256 && (list[n].role = next(in, &size)); n++) list[n].content = next(in, &size);
    int32_t k = llama_chat_apply_template(file ? template : argv[2], list, n, argv[5][0] == '1', prompt, sizeof prompt);
    if (k < 0) return 1;
    fwrite(prompt, 1, k, out);
    return fclose(out);
}

int main(int argc, char **argv) {
    llama_log_set(errors_only, 0);
    ggml_backend_load_all_from_path(getenv("BINS"));
    llama_backend_init();
    if (argc == 5 && !strcmp(argv[1], "store")) return store(argv);
    if (argc > 6 && !strcmp(argv[1], "logits")) return logits(argc, argv);
    if (argc == 6 && !strcmp(argv[1], "tokens")) return tokens(argv);
    if (argc == 4 && !strcmp(argv[1], "vocabulary")) return vocabulary(argv);
    if (argc == 6 && !strcmp(argv[1], "chat")) return chat(argv);
    fputs("oracle store IN OUT TYPE | oracle logits MODEL OUT BATCH WINDOW ID... | oracle tokens MODEL IN OUT SPECIAL\n"
          "| oracle vocabulary MODEL OUT | oracle chat TEMPLATE IN OUT ADD\n", stderr);
    return 2;
}
