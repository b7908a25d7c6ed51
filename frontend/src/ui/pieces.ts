// Cuts a text into runs of marked and unmarked letters.

export interface Piece {
  readonly text: string
  readonly on: boolean
}

export function pieces(text: string, at: readonly number[]): readonly Piece[] {
  const marked = new Set(at)
  const out: { text: string; on: boolean }[] = []
  for (let i = 0; i < text.length; i++) {
    const on = marked.has(i)
    const last = out.at(-1)
    if (last?.on === on) last.text += text[i]
    else out.push({ text: text[i] ?? '', on })
  }
  return out
}
