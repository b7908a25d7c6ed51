// Package spending keeps what the user's requests to language models cost: one ledger for all windows,
// processes and projects, in the state folder.
//
//	a request --Begin--> [ budget left? ] --> line "open", with the price of its prompt   spending/DAY.jsonl
//	              |                           line with what it cost       <--End-- usage
//	              '--> *OverError: it is not sent
//
// A line is a request; a later line with the same id takes its place. A day is a local one, and its
// file is that of the moment at which the request is sent, so that a request at midnight counts once.
//
// What callers may rely on:
//
//   - Begin checks and writes under one lock of the file system. Two processes cannot both take
//     what is left. What answers will cost beyond their prompts is not known: while several are in flight,
//     what they take, perhaps, is kept back. The budget can be exceeded by one answer, and by how
//     much others are longer than their model's before them.
//   - A process that is killed leaves its open requests, which count as estimates from then on.
//   - A line that was torn by a full disk or a kill costs that line. What could not be written counts in
//     this process, and is written with the next line. If a budget is set and cannot be checked, Begin
//     refuses.
//   - A request without a price is in the ledger with its tokens, and never refused.
package spending
