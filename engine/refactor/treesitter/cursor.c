#include "cursor.h"
#include <stdlib.h>
#include <time.h>

const TSLanguage *wp_language(int which) {
	switch (which) {
	case 0: return tree_sitter_python();
	case 1: return tree_sitter_javascript();
	case 2: return tree_sitter_typescript();
	case 3: return tree_sitter_tsx();
	default: return tree_sitter_java();
	}
}

static flat_node flatten(const TSTreeCursor *c, int32_t parent) {
	TSNode n = ts_tree_cursor_current_node(c);
	flat_node f = {ts_node_start_byte(n), ts_node_end_byte(n), parent, ts_node_symbol(n),
		ts_tree_cursor_current_field_id(c),
		(ts_node_is_named(n) ? 1 : 0) | (ts_node_is_missing(n) ? 2 : 0)};
	return f;
}

// wp_own_allocator takes C's allocator again. The library's Go binding sets one that
// goes through Go, which costs two crossings for each subtree: a third of a parse.
void wp_own_allocator(void) { ts_set_allocator(NULL, NULL, NULL, NULL); }

// source is a file that is being parsed, and when the parser gives it up.
typedef struct {
	const char *text;
	uint32_t len, asked;
	int64_t deadline;
} source;

static int64_t now_micros(void) {
	struct timespec t;
	timespec_get(&t, TIME_UTC);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static const char *read_at(void *payload, uint32_t at, TSPoint p, uint32_t *len) {
	(void)p;
	source *s = payload;
	if (at > s->len) at = s->len;
	*len = s->len - at;
	return s->text + at;
}

// too_late is asked after every hundred steps of the parser; it looks at the clock now and then.
static bool too_late(TSParseState *state) {
	source *s = state->payload;
	return ++s->asked % 16 == 0 && now_micros() > s->deadline;
}

// wp_parse parses src and writes the tree out in preorder: one crossing into C
// for a whole file, where walking it from Go would cross several times a node.
// It gives NULL when that takes longer than it may. The caller frees the result.
flat_node *wp_parse(const TSLanguage *lang, const char *src, uint32_t len, int64_t micros, uint32_t *count) {
	*count = 0;
	source s = {src, len, 0, now_micros() + micros};
	TSParser *p = ts_parser_new();
	flat_node *out = NULL;
	TSInput in = {&s, read_at, 0, NULL};
	TSParseOptions options = {&s, too_late};
	TSTree *t = ts_parser_set_language(p, lang) ? ts_parser_parse_with_options(p, NULL, in, options) : NULL;
	if (t) {
		TSNode root = ts_tree_root_node(t);
		uint32_t cap = ts_node_descendant_count(root), n = 0;
		out = malloc(sizeof(flat_node) * (cap ? cap : 1));
		TSTreeCursor c = ts_tree_cursor_new(root);
		int32_t parent = -1;
		while (out && n < cap) {
			out[n] = flatten(&c, parent);
			int32_t self = (int32_t)n++;
			if (ts_tree_cursor_goto_first_child(&c)) { parent = self; continue; }
			while (!ts_tree_cursor_goto_next_sibling(&c)) {
				if (!ts_tree_cursor_goto_parent(&c)) goto done;
				parent = out[parent].parent;
			}
		}
	done:
		*count = out ? n : 0;
		ts_tree_cursor_delete(&c);
		ts_tree_delete(t);
	}
	ts_parser_delete(p);
	return out;
}
