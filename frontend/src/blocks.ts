// Growing prose as blocks: paragraphs and lists, and fenced code. A finished block never
// changes, so each frame renders only the last one; its length is bounded, and so is the
// frame's work, whatever the model writes. Each line is parsed once.
//
//   text ... line line line rest     `rest` is the line that has not ended
//            '-- blocks ---'

import { cut } from './visible'

export interface Block {
  readonly id: number
  readonly kind: 'text' | 'code' | 'plain' // plain: a line too long to be parsed as Markdown
  readonly lang: string // of code
  readonly text: string
  readonly hidden: number // characters left out at its end
  readonly done: boolean
}

export const maxText = 4000 // marked takes quadratic time in the worst case
export const maxCode = 20_000

interface Open {
  kind: 'text' | 'code'
  lang: string
  fence: string // that closes the code
  list: boolean
  gap: boolean // a blank line came
  text: string
  hidden: number
}

export class Blocks {
  private pos = 0
  private finished: Block[] = []
  private open: Open | null = null
  private id = 1

  /** Takes the whole text so far; a text that does not continue the last one starts over. */
  update(text: string): readonly Block[] {
    if (text.length < this.pos) this.restart()
    for (let end = text.indexOf('\n', this.pos); end >= 0; end = text.indexOf('\n', this.pos)) {
      this.line(text.slice(this.pos, end))
      this.pos = end + 1
    }
    return [...this.finished, ...this.growing(text.slice(this.pos))]
  }

  private restart(): void {
    this.pos = 0
    this.finished = []
    this.open = null
  }

  private line(raw: string): void {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (this.open?.kind === 'code') this.codeLine(this.open, line)
    else this.textLine(line)
  }

  private codeLine(open: Open, line: string): void {
    if (closes(line, open.fence)) this.finish()
    else addTo(open, line, maxCode)
  }

  private textLine(line: string): void {
    const fence = fenceOf(line)
    if (fence !== null) {
      this.finish()
      this.open = { kind: 'code', lang: fence.lang, fence: fence.fence, list: false, gap: false, text: '', hidden: 0 }
      return
    }
    if (line.trim() === '') {
      if (this.open) this.open.gap = true
      return
    }
    this.makeRoom(line)
    if (line.length > maxText) this.plain(line)
    else this.addText(line)
  }

  /** A paragraph ends at a blank line; a list continues after it. Long ones are split between lines. */
  private makeRoom(line: string): void {
    if (this.open && !holds(this.open, line)) this.finish()
  }

  private addText(line: string): void {
    if (!this.open) {
      this.open = { kind: 'text', lang: '', fence: '', list: listed.test(line), gap: false, text: line, hidden: 0 }
      return
    }
    this.open.text += (this.open.gap ? '\n\n' : '\n') + line
    this.open.gap = false
  }

  private plain(line: string): void {
    this.finish()
    this.finished.push({ id: this.id++, kind: 'plain', lang: '', ...cut(line, maxCode), done: true })
  }

  private finish(): void {
    const open = this.open
    this.open = null
    if (!open) return
    this.finished.push({ id: this.id++, kind: open.kind, lang: open.lang, text: open.text, hidden: open.hidden, done: true })
  }

  /** The open block with the unfinished line, which may begin another block. */
  private growing(rest: string): readonly Block[] {
    const open = this.open
    if (open?.kind === 'code') return [this.growingCode(open, rest)]
    if (rest.trim() === '') return open ? [growingText(this.id, open.text)] : []
    if (!open) return [growingText(this.id, rest)]
    if (holds(open, rest)) return [growingText(this.id, `${open.text}${open.gap ? '\n\n' : '\n'}${rest}`)]
    return [growingText(this.id, open.text), growingText(this.id + 1, rest)]
  }

  private growingCode(open: Open, rest: string): Block {
    const now = { ...open }
    if (rest !== '' && !/^ {0,3}[`~]{1,9}$/.test(rest)) addTo(now, rest, maxCode)
    return { id: this.id, kind: 'code', lang: open.lang, text: now.text, hidden: now.hidden, done: false }
  }
}

function growingText(id: number, text: string): Block {
  if (text.length <= maxText) return { id, kind: 'text', lang: '', text, hidden: 0, done: false }
  return { id, kind: 'plain', lang: '', ...cut(text, maxCode), done: false }
}

/** Whether the line continues the open text. */
function holds(open: Open, line: string): boolean {
  const goesOn = !open.gap || (open.list && (listed.test(line) || /^\s{2,}/.test(line)))
  return goesOn && open.text.length + line.length + 2 <= maxText
}

const listed = /^ {0,3}([-*+]|\d{1,9}[.)])(\s|$)/

function fenceOf(line: string): { fence: string; lang: string } | null {
  const match = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(cut(line, 200).text)
  return match ? { fence: match[1] ?? '', lang: match[2] ?? '' } : null
}

function closes(line: string, fence: string): boolean {
  if (line.length > 200) return false
  const match = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)
  return match !== null && (match[1] ?? '').startsWith(fence)
}

function addTo(open: { text: string; hidden: number }, line: string, max: number): void {
  if (open.hidden > 0) {
    open.hidden += line.length + 1
    return
  }
  const next = cut(open.text === '' ? line : `${open.text}\n${line}`, max)
  open.text = next.text
  open.hidden = next.hidden
}
