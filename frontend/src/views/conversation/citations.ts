// The places that an answer names: Go found and checked them (app/cite.go); here they become links in its HTML.

import type { CitationPart } from '../../protocol'

/** HTML in which each checked place is a link that names it by its index; others stay text. */
export function linked(html: string, places: readonly CitationPart[]): string {
  const at = new Map(places.flatMap((p, i) => (p.ok ? [[escaped(p.text), i] as const] : [])))
  if (at.size === 0) return html
  const any = new RegExp(`(?<![\\w./\\\\-])(?:${[...at.keys()].sort((a, b) => b.length - a.length).map(quoted).join('|')})(?![\\w-])`, 'g')
  let inLink = 0
  return html.split(/(<[^>]*>)/).map((piece) => {
    if (piece.startsWith('<')) {
      if (/^<a[\s>]/i.test(piece)) inLink++
      else if (/^<\/a>/i.test(piece)) inLink--
      return piece
    }
    return inLink > 0 ? piece : piece.replace(any, (text) => `<a href="#" class="place" data-place="${String(at.get(text) ?? -1)}">${text}</a>`)
  }).join('')
}

/** As text is written in HTML. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

/** What is said of places that are not there; '' if all are. */
export function wrongPlaces(places: readonly CitationPart[]): string {
  const wrong = places.filter((p) => !p.ok).map((p) => `${p.text} (${p.why ?? 'not found'})`)
  if (wrong.length === 0) return ''
  const shown = wrong.slice(0, 5).join(', ')
  return `Not in the project: ${shown}${wrong.length > 5 ? `, and ${String(wrong.length - 5)} more` : ''}`
}
