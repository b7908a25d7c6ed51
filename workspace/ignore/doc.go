// Package ignore reports which paths of a project folder are ignored, exactly as
// `git check-ignore` run in that folder does.
//
//	path ──> its directory's state ──> rule lists, strongest first
//	     ──> last matching rule of the first list that has one
//
// A directory's state is computed once, from its parent's: the parent's lists plus the
// directory's own ignore files, or, if the directory itself is ignored, just the rule that
// says so. Hence nothing below an ignored directory is read, and nothing below it can be
// re-included, as in git.
//
// The lists, strongest first:
//
//  1. .waferpairignore, deepest directory first (same syntax; git never reads it)
//  2. .gitignore, deepest directory first
//  3. info/exclude of the repository (for a linked worktree: of the main one)
//  4. core.excludesFile, by default $XDG_CONFIG_HOME/git/ignore
//
// What callers may rely on:
//
//   - A path with a component named ".git" is ignored, whatever the rules say.
//   - A folder outside of any git repository has rules too: its own ignore files and the
//     user's global ones.
//   - If the folder is below the top of a work tree, the rules above it count, unless they
//     ignore the folder itself: a user who opens an ignored folder wants to see what is in
//     it, so then only the rules in it and the global ones count.
//   - A nested repository is an ordinary directory, as it is for git when asked from
//     outside: its .gitignore files count, its info/exclude does not, and the outer rules
//     apply inside.
//   - A Matcher may be used from any number of goroutines. It reads each ignore file once;
//     call Invalidate when one changes.
//
// Known differences from git: an ignore file that is in the index but, in a sparse checkout,
// not on disk is not read; includeIf conditions other than gitdir and onbranch are false;
// GIT_DIR and GIT_CONFIG_COUNT are not used.
//
// The package has its own matcher because the two Go libraries for it disagree with git on
// 2 % and 5 % of adversarial paths; the tests allow this one no difference.
package ignore
