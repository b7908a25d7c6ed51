import { describe, expect, it } from 'vitest'
import { Blocks, maxCode, maxText, type Block } from './blocks'

const shape = (blocks: readonly Block[]): string[] => blocks.map((b) => `${b.kind}${b.lang === '' ? '' : `:${b.lang}`}|${b.text}`)
const whole = (text: string): readonly Block[] => new Blocks().update(text)

describe('blocks', () => {
  it('are paragraphs, lists and fenced code', () => {
    const text = 'One\ntwo\n\nThree\n\n- a\n\n- b\n\n  more\n\nEnd\n```go\nfunc f() {\n\n}\n```\nAfter\n'
    expect(shape(whole(text))).toEqual(['text|One\ntwo', 'text|Three', 'text|- a\n\n- b\n\n  more', 'text|End', 'code:go|func f() {\n\n}', 'text|After'])
  })
  it('keep a fence open until a fence at least as long closes it', () => {
    expect(shape(whole('````\n```\nx\n```\n````\n'))).toEqual(['code|```\nx\n```'])
    expect(whole('```\nx')[0]).toMatchObject({ kind: 'code', text: 'x', done: false })
  })
  it('say how much of a long line or of long code is left out', () => {
    expect(whole('x'.repeat(1_000_000) + '\nend\n').map((b) => [b.kind, b.text.length, b.hidden])).toEqual([['plain', maxCode, 1_000_000 - maxCode], ['text', 3, 0]])
    const code = whole('```\n' + 'y'.repeat(99).concat('\n').repeat(1000) + '```\n')
    expect(code).toHaveLength(1)
    expect((code[0]?.text.length ?? 0) + (code[0]?.hidden ?? 0)).toBe(99_999)
  })
  it('take the indentation of the fence from its lines, so that code in a list stands at the left', () => {
    expect(shape(whole('1. do\n\n   ```go\n   func f() {\n   \tg()\n   }\n   ```\n'))).toEqual(['text|1. do', 'code:go|func f() {\n\tg()\n}'])
  })
  it('repeat the head of a table that is split', () => {
    const head = '| n | word |\n|---|---|'
    const blocks = whole(`${head}\n${'| 1 | a rather long row of a table |\n'.repeat(300)}\nDone.\n`)
    expect(blocks.length).toBeGreaterThan(2)
    expect(blocks.slice(0, -1).every((b) => b.text.startsWith(`${head}\n| 1`) && b.text.length <= maxText)).toBe(true)
    expect(blocks.at(-1)?.text).toBe('Done.')
    expect(blocks.slice(0, -1).map((b) => b.text.split('\n').length - 2).reduce((a, n) => a + n, 0)).toBe(300)
  })
  it('part long prose between lines and lose nothing', () => {
    const text = 'some words of a long paragraph\n'.repeat(1000)
    const blocks = whole(text)
    expect(blocks.every((b) => b.kind === 'text' && b.text.length <= maxText)).toBe(true)
    expect(blocks.map((b) => b.text + '\n').join('')).toBe(text)
  })
  it('are the same however the text arrives, and finished ones stay the same objects', () => {
    const pieces = ['a', '\n', '\n\n', '- x\n', '```', '```js\n', '~~~\n', '  y', 'word ', '1. z', '\r\n', 'x'.repeat(maxText)]
    let seed = 3
    const random = (n: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % n
    for (let round = 0; round < 300; round++) {
      let text = ''
      for (let i = random(25); i >= 0; i--) text += pieces[random(pieces.length)] ?? ''
      const grown = new Blocks()
      let before: readonly Block[] = []
      for (let at = 0; at < text.length; at += 1 + random(text.length > 500 ? 400 : 5)) {
        const now = grown.update(text.slice(0, at))
        for (const [i, b] of before.entries()) if (b.done) expect(now[i]).toBe(b)
        before = now
      }
      expect(shape(grown.update(text))).toEqual(shape(whole(text)))
    }
  })
  it('begin again when the text is another one', () => {
    const blocks = new Blocks()
    blocks.update('a long first text\n\nof two\n')
    expect(shape(blocks.update('b\n'))).toEqual(['text|b'])
  })
})
