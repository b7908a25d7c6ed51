// The colours of the drawing, from the page's theme.

import type { Author } from '../../protocol'

export interface Palette {
  readonly author: Readonly<Record<Author, string>>
  readonly text: string
  readonly faint: string
  readonly line: string
  readonly strong: string
  readonly surface: string
  readonly hover: string
  readonly accent: string
  readonly band: string
  readonly font: string
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element)
  const value = (name: string): string => style.getPropertyValue(name).trim()
  return {
    author: { user: value('--user'), model: value('--model'), outside: value('--outside'), revert: value('--revert'), recovery: value('--recovery') },
    text: value('--text-2'), faint: value('--text-3'), line: value('--line'), strong: value('--line-strong'),
    surface: value('--surface'), hover: value('--hover'), accent: value('--accent'), band: value('--accent-soft'),
    font: `${style.fontSize === '' ? '11px' : `${String(Math.max(10, parseFloat(style.fontSize) - 2))}px`} ${style.fontFamily}`,
  }
}

/** Calls when the theme, the density or the size of text changed; the answer ends it. */
export function onTheme(changed: () => void): () => void {
  const seen = new MutationObserver(changed)
  seen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'data-density', 'style'] })
  return () => { seen.disconnect() }
}
