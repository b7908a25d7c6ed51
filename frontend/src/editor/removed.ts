// Removed text, drawn where it was: struck through, bounded, and never a part of the document.

import { WidgetType } from '@codemirror/view'

const mostChars = 2000
const mostLines = 12

/** The part of a removed text that is shown, and a note about the rest. */
export function excerpt(text: string): { readonly shown: string; readonly rest: string } {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  const lines = body.split('\n')
  let shown = lines.slice(0, mostLines).join('\n')
  const more = lines.length - mostLines
  if (shown.length > mostChars) {
    shown = shown.slice(0, /[\ud800-\udbff]/.test(shown.charAt(mostChars - 1)) ? mostChars - 1 : mostChars)
    return { shown, rest: `… ${(body.length - shown.length).toLocaleString('en')} more characters` }
  }
  return { shown, rest: more > 0 ? `… ${String(more)} more ${more === 1 ? 'line' : 'lines'}` : '' }
}

export class RemovedWidget extends WidgetType {
  constructor(private readonly text: string, private readonly block: boolean) {
    super()
  }

  override eq(other: RemovedWidget): boolean {
    return other.text === this.text && other.block === this.block
  }

  toDOM(): HTMLElement {
    const { shown, rest } = excerpt(this.text)
    const box = document.createElement(this.block ? 'div' : 'span')
    box.className = this.block ? 'cm-removed cm-removed-block' : 'cm-removed'
    const del = document.createElement('del')
    del.textContent = shown.replaceAll('\r', '')
    del.setAttribute('aria-label', `removed: ${shown}`)
    box.append(del)
    if (rest !== '') {
      const more = document.createElement('span')
      more.className = 'cm-removed-rest'
      more.textContent = rest
      box.append(more)
    }
    return box
  }

  override get estimatedHeight(): number {
    const { shown, rest } = excerpt(this.text)
    return this.block ? (shown.split('\n').length + (rest === '' ? 0 : 1)) * 20 : -1
  }

  override get lineBreaks(): number {
    return 0
  }
}
