import { describe, expect, it } from 'vitest'
import type { CitationPart } from '../../protocol'
import { linked, wrongPlaces } from './citations'

const place = (text: string, ok = true): CitationPart => ({ kind: 'citation', text, path: text.split(':')[0] ?? '', line: 3, ok, ...(ok ? {} : { why: 'there is no such file' }) })
const a = (text: string, at: number): string => `<a href="#" class="place" data-place="${String(at)}">${text}</a>`

describe('places of an answer', () => {
  it('become links where the text has them, in words and in code', () => {
    const places = [place('app/turn.go:35'), place('turn.go:3')]
    expect(linked('<p>See app/turn.go:35, <code>turn.go:3</code>.</p>', places)).toBe(`<p>See ${a('app/turn.go:35', 0)}, <code>${a('turn.go:3', 1)}</code>.</p>`)
  })
  it('are whole: no part of a longer one, none within a link or a tag', () => {
    const places = [place('a.go:3')]
    for (const html of ['<p>a.go:35</p>', '<p>x/a.go:3</p>', '<a href="https://x.y/a.go:3" title="a.go:3">a.go:3</a>']) expect(linked(html, places)).toBe(html)
    expect(linked('a.go:3-9 a.go:3', [place('a.go:3-9'), ...places])).toBe(`${a('a.go:3-9', 0)} ${a('a.go:3', 1)}`)
  })
  it('are what a link in the answer leads to', () => {
    expect(linked('<a href="app/turn.go#L3">here</a>', [place('app/turn.go#L3')])).toBe(a('here', 0))
  })
  it('are marked where they are wrong, and a note says why', () => {
    const places = [place('gone.go:3', false), place('here.go:1')]
    expect(linked('<p>gone.go:3</p>', places)).toBe('<p><span class="nowhere" title="there is no such file">gone.go:3</span></p>')
    expect(wrongPlaces(places)).toBe('Not in the project: gone.go:3 (there is no such file)')
    expect(wrongPlaces([place('here.go:1')])).toBe('')
  })
  it('may have any characters', () => {
    expect(linked('<p>a &amp; b(1).md:2</p>', [place('a & b(1).md:2')])).toBe(`<p>${a('a &amp; b(1).md:2', 0)}</p>`)
  })
})
