// Search in the file: a slim row over the text, with a second one to replace. It shows the number of
// matches after every key.

import { closeSearchPanel, findNext, findPrevious, getSearchQuery, replaceAll, replaceNext, search, SearchQuery, selectMatches, setSearchQuery } from '@codemirror/search'
import type { EditorState, Extension } from '@codemirror/state'
import { EditorView, runScopeHandlers, type Command, type Panel, type ViewUpdate } from '@codemirror/view'

const mostCounted = 1000

/** The position of the selected match among all: "3 of 12", "12", "over 1,000". */
export function countMatches(state: EditorState, query: SearchQuery): string {
  if (query.search === '') return ''
  if (!query.valid) return 'not a pattern'
  const { from, to } = state.selection.main
  let count = 0
  let at = 0
  const matches = query.getCursor(state)
  for (let next = matches.next(); !next.done; next = matches.next()) {
    if (++count > mostCounted) return `over ${mostCounted.toLocaleString('en')}`
    if (next.value.from === from && next.value.to === to) at = count
  }
  if (count === 0) return 'none'
  return at > 0 ? `${String(at)} of ${String(count)}` : String(count)
}

class Find implements Panel {
  readonly dom = document.createElement('div')
  readonly top = true
  private readonly count = document.createElement('span')
  private readonly text = field('Find', 'main-field')
  private readonly other = field('Replace', '')
  private readonly toggles: readonly (readonly [HTMLButtonElement, 'caseSensitive' | 'regexp' | 'wholeWord'])[]
  private counting: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly view: EditorView) {
    this.toggles = [
      [toggle('Aa', 'Match case'), 'caseSensitive'],
      [toggle('ab', 'Whole words'), 'wholeWord'],
      [toggle('.*', 'Regular expression'), 'regexp'],
    ]
    this.count.className = 'cm-find-count'
    this.count.setAttribute('aria-live', 'polite')
    const close = button('×', 'Close', this.does(closeSearchPanel))
    close.classList.add('cm-find-close')
    this.dom.className = 'cm-find'
    this.dom.append(
      row(this.text, ...this.toggles.map(([b]) => b), this.count, button('↑', 'Previous match', this.does(findPrevious)), button('↓', 'Next match', this.does(findNext)), button('Select all', 'Select all matches', this.does(selectMatches)), close),
      row(this.other, button('Replace', 'Replace this match', this.does(replaceNext)), button('Replace all', 'Replace all matches', this.does(replaceAll))),
    )
    this.dom.addEventListener('keydown', (event) => { this.pressed(event) })
    this.dom.addEventListener('input', () => { this.commit() })
    for (const [b] of this.toggles) b.addEventListener('click', () => { b.ariaPressed = String(b.ariaPressed !== 'true'); this.commit() })
    this.take(getSearchQuery(view.state))
  }

  mount(): void {
    this.text.select()
  }

  destroy(): void {
    clearTimeout(this.counting)
  }

  update(update: ViewUpdate): void {
    for (const tr of update.transactions) {
      for (const effect of tr.effects) if (effect.is(setSearchQuery)) this.take(effect.value)
    }
    if (update.docChanged || update.selectionSet) this.countSoon()
  }

  private does(command: Command): () => void {
    return () => { command(this.view) }
  }

  private take(query: SearchQuery): void {
    if (this.text.value !== query.search) this.text.value = query.search
    if (this.other.value !== query.replace) this.other.value = query.replace
    for (const [b, name] of this.toggles) b.ariaPressed = String(query[name])
    this.countSoon()
  }

  private countSoon(): void {
    this.counting ??= setTimeout(() => {
      this.counting = undefined
      this.count.textContent = countMatches(this.view.state, getSearchQuery(this.view.state))
    }, 60)
  }

  private commit(): void {
    const on = Object.fromEntries(this.toggles.map(([b, name]) => [name, b.ariaPressed === 'true']))
    const query = new SearchQuery({ search: this.text.value, replace: this.other.value, literal: true, ...on })
    if (!query.eq(getSearchQuery(this.view.state))) this.view.dispatch({ effects: setSearchQuery.of(query) })
  }

  private pressed(event: KeyboardEvent): void {
    if (runScopeHandlers(this.view, event, 'search-panel')) event.preventDefault()
    else if (event.key === 'Enter' && event.target === this.text) {
      event.preventDefault()
      ;(event.shiftKey ? findPrevious : findNext)(this.view)
    } else if (event.key === 'Enter' && event.target === this.other) {
      event.preventDefault()
      replaceNext(this.view)
    }
  }
}

function field(label: string, name: string): HTMLInputElement {
  const input = document.createElement('input')
  input.placeholder = label
  input.ariaLabel = label
  input.spellcheck = false
  if (name !== '') input.setAttribute(name, 'true')
  return input
}

function button(text: string, label: string, run: () => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = text
  made.ariaLabel = label
  made.title = label
  made.addEventListener('click', run)
  return made
}

function toggle(text: string, label: string): HTMLButtonElement {
  const made = button(text, label, () => undefined)
  made.className = 'cm-find-toggle'
  return made
}

function row(...parts: readonly HTMLElement[]): HTMLElement {
  const made = document.createElement('div')
  made.className = 'cm-find-row'
  made.append(...parts)
  return made
}

const look = EditorView.baseTheme({
  '.cm-find': { display: 'grid', gap: '4px', padding: '6px 12px 6px 14px', font: 'var(--size-small)/1.4 var(--font-ui)' },
  '.cm-find-row': { display: 'flex', alignItems: 'center', gap: '4px' },
  '.cm-find input': { width: '240px', height: '26px', padding: '0 8px', border: '1px solid var(--line-strong)', borderRadius: 'var(--radius)', background: 'var(--surface)', color: 'var(--text)', font: 'var(--size-small) var(--font-code)' },
  '.cm-find button': { height: '24px', padding: '0 8px', borderRadius: '4px', color: 'var(--text-2)' },
  '.cm-find button:hover': { background: 'var(--hover)', color: 'var(--text)' },
  '.cm-find-toggle': { fontFamily: 'var(--font-code)', minWidth: '28px' },
  '.cm-find-toggle[aria-pressed=true]': { background: 'var(--accent-soft)', color: 'var(--accent) !important' },
  '.cm-find-count': { minWidth: '76px', padding: '0 6px', color: 'var(--text-2)', fontVariantNumeric: 'tabular-nums' },
  '.cm-find-close': { marginLeft: 'auto', fontSize: '16px' },
})

export const find: Extension = [search({ top: true, createPanel: (view) => new Find(view) }), look]
