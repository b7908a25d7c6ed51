#include "cursor.h"
#include <stdlib.h>

const TSLanguage *wp_language(int which) {
	switch (which) {
	case 0: return tree_sitter_python();
	case 1: return tree_sitter_javascript();
	case 2: return tree_sitter_typescript();
	default: return tree_sitter_tsx();
	}
}

static flat_node flatten(const TSTreeCursor *c, int32_t parent) {
	TSNode n = ts_tree_cursor_current_node(c);
	flat_node f = {ts_node_start_byte(n), ts_node_end_byte(n), parent, ts_node_symbol(n),
		ts_tree_cursor_current_field_id(c),
		(ts_node_is_named(n) ? 1 : 0) | (ts_node_is_missing(n) ? 2 : 0)};
	return f;
}

// wp_parse parses src and writes the tree out in preorder: one crossing into C
// for a whole file, where walking it from Go would cross several times a node.
// The caller frees the result.
flat_node *wp_parse(const TSLanguage *lang, const char *src, uint32_t len, uint32_t *count) {
	*count = 0;
	TSParser *p = ts_parser_new();
	flat_node *out = NULL;
	TSTree *t = ts_parser_set_language(p, lang) ? ts_parser_parse_string(p, NULL, src, len) : NULL;
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
