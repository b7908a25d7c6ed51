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
  indent: number // of the opening fence: its lines lose as much
  head: string // of a table: its first two lines, repeated where it is split
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
    else addTo(open, outdented(line, open.indent), maxCode)
  }

  private textLine(line: string): void {
    const fence = fenceOf(line)
    if (fence !== null) {
      this.finish()
      this.open = { kind: 'code', lang: fence.lang, fence: fence.fence, indent: fence.indent, head: '', list: false, gap: false, text: '', hidden: 0 }
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
    if (!this.open || holds(this.open, line)) return
    const head = continues(this.open, line) ? tableHead(this.open) : ''
    this.finish()
    if (head !== '') this.open = textBlock(head, head)
  }

  private addText(line: string): void {
    if (!this.open) {
      this.open = textBlock(line, '')
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
    const head = continues(open, rest) ? tableHead(open) : ''
    return [growingText(this.id, open.text), growingText(this.id + 1, head === '' ? rest : `${head}\n${rest}`)]
  }

  private growingCode(open: Open, rest: string): Block {
    const now = { ...open }
    if (rest !== '' && !/^ {0,3}[`~]{1,9}$/.test(rest)) addTo(now, outdented(rest, open.indent), maxCode)
    return { id: this.id, kind: 'code', lang: open.lang, text: now.text, hidden: now.hidden, done: false }
  }
}

function growingText(id: number, text: string): Block {
  if (text.length <= maxText) return { id, kind: 'text', lang: '', text, hidden: 0, done: false }
  return { id, kind: 'plain', lang: '', ...cut(text, maxCode), done: false }
}

/** Whether the line continues the open text, and has room in its block. */
function holds(open: Open, line: string): boolean {
  return continues(open, line) && open.text.length + line.length + 2 <= maxText
}

function continues(open: Open, line: string): boolean {
  return !open.gap || (open.list && (listed.test(line) || /^\s{2,}/.test(line)))
}

function textBlock(text: string, head: string): Open {
  return { kind: 'text', lang: '', fence: '', indent: 0, head, list: listed.test(text), gap: false, text, hidden: 0 }
}

const maxHead = 500 // longer ones are not repeated

/** The first two lines of a table; '' if the text is none. */
function tableHead(open: Open): string {
  if (open.head !== '') return open.head
  const lines = open.text.split('\n', 2)
  const head = lines.join('\n')
  const rule = lines[1] ?? ''
  return head.length <= maxHead && rule.includes('|') && /^[\s|:-]+$/.test(rule) && rule.includes('-') ? head : ''
}

function outdented(line: string, by: number): string {
  let n = 0
  while (n < by && line.charAt(n) === ' ') n++
  return line.slice(n)
}

const listed = /^ {0,3}([-*+]|\d{1,9}[.)])(\s|$)/

function fenceOf(line: string): { fence: string; lang: string; indent: number } | null {
  const match = /^( {0,3})(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(cut(line, 200).text)
  return match ? { indent: match[1]?.length ?? 0, fence: match[2] ?? '', lang: match[3] ?? '' } : null
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
