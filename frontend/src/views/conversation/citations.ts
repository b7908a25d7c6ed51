// The places that an answer names: Go found and checked them (app/cite.go); here they become links in its HTML.

import type { CitationPart } from '../../protocol'

/** HTML in which each place that there is, or link to one, is a link that names it by its index; one that is not there is marked. */
export function linked(html: string, places: readonly CitationPart[]): string {
  const at = new Map(places.map((p, i) => [escaped(p.text), i] as const))
  if (at.size === 0) return html
  const any = new RegExp(`(?<![\\w./\\\\-])(?:${[...at.keys()].sort((a, b) => b.length - a.length).map(quoted).join('|')})(?![\\w-])`, 'g')
  let inLink = 0
  return html.split(/(<[^>]*>)/).map((piece) => {
    if (piece.startsWith('<')) {
      if (/^<a[\s>]/i.test(piece)) {
        inLink++
        const place = at.get(/ href="([^"]*)"/.exec(piece)?.[1] ?? '')
        if (place !== undefined && places[place]?.ok === true) return `<a href="#" class="place" data-place="${String(place)}">`
      }
      else if (/^<\/a>/i.test(piece)) inLink--
      return piece
    }
    return inLink > 0 ? piece : piece.replace(any, (text) => marked(text, at.get(text) ?? -1, places))
  }).join('')
}

function marked(text: string, at: number, places: readonly CitationPart[]): string {
  if (places[at]?.ok === true) return `<a href="#" class="place" data-place="${String(at)}">${text}</a>`
  return `<span class="nowhere" title="${escaped(places[at]?.why ?? 'not found').replaceAll('"', '&quot;')}">${text}</span>`
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
