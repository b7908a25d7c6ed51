// Package findings reads what a language model found in a review: remarks on lines of files, each
// with a severity, a title, reasons, and perhaps lines to put in their place. It is pure.
//
//	answer ── Parse ──> findings as the model wrote them, problems, prose
//	finding, file ── Place ──> the finding at lines that exist, or why not
//
// Form is what the model is told. The form is Markdown, so that people can read the answer while it
// comes, and an answer that breaks off keeps the findings before. Parse also accepts what models
// write instead: other headings, other words for a severity, JSON. It never fails: what cannot be
// read is a problem with words for the user, and everything else is prose.
//
// A model counts lines badly. So a finding quotes the line that it is about, and the quoted text
// decides: Place moves a finding to where its text is, and refuses one whose text is nowhere.
package findings

// Form tells a model how to write findings.
const Form = `Report only faults that matter: wrong results, crashes, lost data, security, races, broken callers,
misleading names or comments, missing tests of risky code. Judge the changes, not the code that was
there before. Check against the files before you report. No praise, no summary of the changes, no
matters of taste. The worst first, each fault once.

Write each finding in this form, and nothing else around it:

## error path/to/file.go:41-43
> the exact text of line 41
One sentence that says what is wrong.

Why, and when it happens: at most a short paragraph.

` + "```suggestion" + `
the lines that replace lines 41 to 43
` + "```" + `

- The word before the path is error (it must be fixed), warning (it should be), or note.
- The path is from the project folder, the lines are those of the new text, as numbered in the
  changes: one (:41) or several (:41-43), as few as possible.
- The quote is the first of these lines, copied exactly, without its number.
- The suggestion is optional. Give it when you are sure, with complete lines and their indentation.

If there is nothing to report, answer: No findings.
`
