// Answers what the real CodeMirror does. Each line of standard input is a case
// (see differential_test.go), each line of standard output its answer.
import {ChangeSet, MapMode, Text} from "@codemirror/state"
import {createInterface} from "node:readline"

// Lines end at "\n" only, so that "\r" stays in the text.
const textOf = s => Text.of(s.split("\n"))

function answer({doc: source, a: aJSON, b: bJSON, next: nextJSON, spec, shuffled}) {
  const doc = textOf(source)
  const [a, b, next] = [aJSON, bJSON, nextJSON].map(j => ChangeSet.fromJSON(j))
  const positions = (assoc, mode) => Array.from({length: doc.length + 1}, (_, i) => a.mapPos(i, assoc, mode))
  const made = list => ChangeSet.of(list.map(([from, to, insert]) => ({from, to, insert: textOf(insert)})), doc.length)
  const changes = []
  a.iterChanges((fromA, toA, fromB, toB, text) => changes.push([fromA, toA, text.toString()]))
  return {
    a: a.toJSON(),
    applied: a.apply(doc).toString(),
    inverted: a.invert(doc).toJSON(),
    composed: a.compose(next).toJSON(),
    bOverA: b.map(a).toJSON(),
    bOverABefore: b.map(a, true).toJSON(),
    aOverB: a.map(b).toJSON(),
    aOverBBefore: a.map(b, true).toJSON(),
    made: made(spec).toJSON(),
    madeOfShuffled: made(shuffled).toJSON(),
    changes,
    before: positions(-1),
    after: positions(1),
    tracked: positions(-1, MapMode.TrackDel).map(p => p === null),
    empty: a.empty,
  }
}

for await (const line of createInterface({input: process.stdin, crlfDelay: Infinity})) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n")
}
