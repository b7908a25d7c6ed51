import { ChangeSet, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import type { Author } from '../protocol'
import { Client, difference, span } from './rebase'
import { forSeeds, type Random } from '../testing/random'
import { Buffer } from './testing/buffer'
import { randomChange } from './testing/changes'

/** A page in the model: its text, its client, and what it has heard. */
class Page {
  readonly client = new Client(0)
  heard = 0
  pushed = 0
  constructor(readonly name: string, public shown: Text) {}

  type(random: Random, letters: string): void {
    const changes = randomChange(random, this.shown, letters)
    this.client.typed(changes, this.shown)
    this.shown = changes.apply(this.shown)
  }

  send(go: Buffer): void {
    const push = this.client.push()
    if (push === null) return
    this.pushed++
    go.apply('user', this.name, push.base, push.changes)
  }

  hear(go: Buffer, most: number): void {
    for (const one of go.log.slice(this.heard, this.heard + most)) {
      this.heard++
      if (one.origin === this.name) this.client.own()
      else this.shown = this.client.theirs(one.author, one.changes).apply(this.shown)
    }
    this.client.reached(this.heard)
  }
}

describe('a character typed in two halves', () => {
  const typed = (client: Client, text: Text, from: number, insert: string): Text => {
    const changes = ChangeSet.of({ from, insert }, text.length)
    client.typed(changes, text)
    return changes.apply(text)
  }

  it('is known to be half, until it is whole', () => {
    const client = new Client(0)
    let text = typed(client, Text.of(['a']), 1, '\ud83d')
    expect(client.halved).toBe(true)
    text = typed(client, text, 2, '\ude00b')
    expect(client.halved).toBe(false)
    expect(client.push()?.changes.toJSON()).toEqual([1, [0, '😀b']])
    typed(client, text, 0, '\ud83d')
    expect(client.halved).toBe(false) // a push is on its way: this one waits anyway
  })
})

describe('two pages and a model on one buffer', () => {
  it('end with the same text', () => {
    forSeeds(3000, (random) => {
      const start = Text.of(['alpha', 'beta', '', 'delta'])
      const go = new Buffer(start)
      const pages = [new Page('a', start), new Page('b', start)] as const
      for (let step = 0; step < 14; step++) {
        const page = pages[random.below(2)] ?? pages[0]
        switch (random.below(5)) {
          case 0: page.type(random, page.name); break
          case 1: page.send(go); break
          case 2: page.hear(go, 1 + random.below(3)); break
          case 3: writes(go, random, 'model'); break
          case 4: writes(go, random, random.below(2) === 0 ? 'outside' : 'model'); break
        }
      }
      for (let round = 0; round < 3; round++) for (const page of pages) { page.hear(go, 1e9); page.send(go) }
      for (const page of pages) {
        page.hear(go, 1e9)
        expect(page.client.settled).toBe(true)
        expect(page.shown.toString()).toBe(go.text.toString())
        expect(page.client.version).toBe(go.log.length)
      }
    })
  })
})

/** Somebody in Go changes the text; on a text that is a little old, if that does not overlap. */
function writes(go: Buffer, random: Random, author: Author): void {
  const base = Math.max(0, go.log.length - random.below(3))
  go.apply(author, '', base, randomChange(random, go.at(base), 'M'))
}

describe('a lost connection', () => {
  it('keeps what was typed, once', () => {
    forSeeds(1500, (random) => {
      const start = Text.of(['one two three', 'four five six', 'seven eight nine', 'ten'])
      const go = new Buffer(start)
      const page = new Page('a', start)
      const key = insertAt(page.shown, random.below(page.shown.length + 1), '⟨A⟩')
      page.client.typed(key, page.shown)
      page.shown = key.apply(page.shown)
      const arrived = random.below(2) === 0
      const push = page.client.push()
      if (push && arrived) go.apply('user', 'a', push.base, push.changes)
      const later = insertAt(page.shown, random.below(page.shown.length + 1), '⟨B⟩')
      page.client.typed(later, page.shown)
      page.shown = later.apply(page.shown)
      if (random.below(2) === 0) go.apply('model', '', go.log.length, insertAt(go.text, random.below(go.text.length + 1), 'm'))

      const known = random.below(2) === 0 ? null : arrived
      page.shown = page.client.replaced(go.text, go.log.length, page.shown, known).apply(page.shown)
      if (known === false) page.client.returned() // Go says so
      page.heard = go.log.length
      page.send(go)
      page.hear(go, 9)
      page.send(go)
      page.hear(go, 9)
      expect(page.shown.toString()).toBe(go.text.toString())
      for (const letter of ['A', 'B']) expect(go.text.toString().split(letter).length - 1).toBe(1)
    })
  })

  it('keeps typing over a text that was replaced as a whole', () => {
    const client = new Client(4)
    const before = Text.of(['hello world'])
    const typed = insertAt(before, 5, ', dear')
    client.typed(typed, before)
    const shown = client.replaced(Text.of(['# hello big world', 'x']), 9, typed.apply(before), null).apply(typed.apply(before))
    expect(shown.toString()).toBe('# hello, dear big world\nx')
    expect(client.version).toBe(9)
    expect(client.push()?.changes.apply(Text.of(['# hello big world', 'x'])).toString()).toBe(shown.toString())
  })
})

describe('a push that Go refuses', () => {
  it('is taken out of the text, and nothing else', () => {
    const client = new Client(0)
    const start = Text.of(['abc'])
    const bad = insertAt(start, 1, '☃')
    client.typed(bad, start)
    client.push()
    const shown = bad.apply(start)
    const good = insertAt(shown, 4, 'd')
    client.typed(good, shown)
    const back = client.refused()
    expect(back?.apply(good.apply(shown)).toString()).toBe('abcd')
    expect(client.push()?.changes.apply(start).toString()).toBe('abcd')
  })
})

describe('differences', () => {
  it('lead from one text to the other', () => {
    forSeeds(500, (random) => {
      const a = Text.of(Array.from({ length: 1 + random.below(6) }, () => 'ab😀c'.repeat(random.below(4))))
      const once = randomChange(random, a, '😀x').apply(a)
      const b = randomChange(random, once, 'y').apply(once)
      expect(difference(a, b).apply(a).toString()).toBe(b.toString())
      const one = span(a, b)
      expect(one === null ? a.toString() : a.replace(one.from, one.to, one.insert).toString()).toBe(b.toString())
      if (one !== null && wellFormed(b.toString())) expect(wellFormed(one.insert.toString())).toBe(true)
    })
  })
})

function insertAt(text: Text, at: number, insert: string): ChangeSet {
  return ChangeSet.of({ from: at, insert }, text.length, '\n')
}

function wellFormed(s: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(s)
}
