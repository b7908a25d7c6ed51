// Scores how well a few typed letters match a text: letters must come in order, and count more at the
// beginnings of words and next to each other. The best match is found row by row. For short texts only: Go
// ranks files.

export interface Fit {
  readonly score: number
  readonly at: readonly number[] // positions of the letters
}

const inWord = 1
const wordStart = 8
const adjacent = 6

/** The score of a letter at a position by itself. */
export function worth(text: string, at: number): number {
  const before = text[at - 1]
  const here = text[at] ?? ''
  if (before === undefined || !/[\p{L}\p{N}]/u.test(before)) return wordStart
  return here !== here.toLowerCase() && before === before.toLowerCase() ? wordStart : inWord
}

export const nextTo = adjacent

export function fuzzy(query: string, text: string): Fit | null {
  const letters = [...query.toLowerCase()].filter((l) => l !== ' ')
  const low = text.toLowerCase()
  if (letters.length === 0) return { score: 0, at: [] }
  const from: Int32Array[] = []
  let row = new Float64Array(text.length).fill(-Infinity)
  letters.forEach((letter, i) => {
    const next = rowOf(letter, i, low, text, row)
    from.push(next.from)
    row = next.row
  })
  return trace(row, from, text)
}

/** The best score with this letter at each position, and the position of the letter before. */
function rowOf(letter: string, i: number, low: string, text: string, before: Float64Array): { row: Float64Array<ArrayBuffer>; from: Int32Array } {
  const row = new Float64Array(text.length).fill(-Infinity)
  const from = new Int32Array(text.length).fill(-1)
  let best = -1 // the best position before the previous one
  for (let at = 0; at < text.length; at++) {
    if (at >= 2 && (best < 0 || (before[at - 2] ?? -Infinity) > (before[best] ?? -Infinity))) best = at - 2
    if (low[at] !== letter) continue
    if (i === 0) {
      row[at] = worth(text, at)
      continue
    }
    const beside = at >= 1 ? (before[at - 1] ?? -Infinity) + adjacent : -Infinity
    const apart = best >= 0 ? (before[best] ?? -Infinity) : -Infinity
    row[at] = Math.max(beside, apart) + worth(text, at)
    from[at] = beside >= apart ? at - 1 : best
  }
  return { row, from }
}

function trace(row: Float64Array, from: readonly Int32Array[], text: string): Fit | null {
  let at = row.reduce((best, score, i) => (score > (row[best] ?? -Infinity) ? i : best), 0)
  const score = row[at] ?? -Infinity
  if (score === -Infinity) return null
  const places: number[] = []
  for (let i = from.length - 1; i >= 0; i--) {
    places.push(at)
    at = from[i]?.[at] ?? -1
  }
  return { score: score - text.length / 1000, at: places.reverse() }
}
