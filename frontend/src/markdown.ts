// A model's Markdown as harmless HTML: raw HTML is shown as text; no images, no styles, links only to http and
// https. marked creates it, and DOMPurify removes everything but the listed elements, in case marked is wrong.
// blocks.ts bounds the cost.

import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'
import { visible } from './visible'

const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHTML(text),
    image: ({ raw }: Tokens.Image) => escapeHTML(raw),
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
    link({ href, tokens, raw }: Tokens.Link) {
      if (!isWeb(href)) return escapeHTML(raw)
      return `<a href="${escapeHTML(href)}" title="${escapeHTML(href)}">${this.parser.parseInline(tokens)}</a>`
    },
  },
})

// Set once: reading it for each block takes longer than the block.
DOMPurify.setConfig({
  ALLOWED_TAGS: ['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'ul', 'ol', 'li', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a'],
  ALLOWED_ATTR: ['href', 'title', 'start', 'align'],
  ALLOWED_URI_REGEXP: /^https?:\/\//i, // of every attribute but these:
  ADD_URI_SAFE_ATTR: ['start', 'align'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
})

/** HTML of a block of Markdown; null when it must be shown as plain text. */
export function toHTML(source: string): string | null {
  try {
    return DOMPurify.sanitize(marked.parse(visible(source), { async: false }))
  } catch {
    return null // nested deeper than the parser can go
  }
}

export function isWeb(href: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(href)
}

function escapeHTML(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
