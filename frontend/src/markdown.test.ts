// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { maxText } from './blocks'
import { toHTML } from './markdown'

function page(source: string): HTMLElement {
  const box = document.createElement('div')
  box.innerHTML = toHTML(source) ?? ''
  return box
}

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>',
  '[x](javascript:alert(1))',
  '[x](  JaVaScRiPt:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '![x](https://example.com/track.png)',
  '<a href="javascript:alert(1)">x</a>',
  '<style>*{display:none}</style>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '[x](vbscript:x "title\\" onmouseover=alert(1)")',
  '<https://example.com/"onmouseover="alert(1)>',
  '`<script>`',
  '```\n<script>\n```',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
]

describe('markdown', () => {
  it('makes the usual elements', () => {
    expect(toHTML('**b** *e* `c`')?.trim()).toBe('<p><strong>b</strong> <em>e</em> <code>c</code></p>')
    expect(page('# T\n\n- a\n- b\n\n1. x\n\n| a |\n|-|\n| 1 |').querySelectorAll('h1,li,td')).toHaveLength(5)
    expect(page('3. c').querySelector('ol')?.getAttribute('start')).toBe('3')
    expect(page('- [x] done').textContent).toContain('☑ done')
  })
  it('links to the web only, and says where', () => {
    expect(page('[a](https://example.com/p)').querySelector('a')?.getAttribute('title')).toBe('https://example.com/p')
    expect(page('[a](/etc/passwd)').querySelector('a')).toBeNull()
    expect(page('[a](file:///etc/passwd)').textContent).toContain('file:///etc/passwd')
  })
  it.each(hostile)('does nothing with %s, and shows it', (source) => {
    const box = page(source)
    expect(box.querySelector('script,style,img,svg,iframe,math,object,form,input')).toBeNull()
    for (const element of box.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        expect(['href', 'title', 'start']).toContain(name)
        if (name === 'href') expect(value).toMatch(/^https?:\/\//)
      }
    }
    expect(box.textContent.trim()).not.toBe('')
  })
  it('shows what is not seen', () => {
    expect(page('a\u202Eb \u001b[31mc').textContent.trim()).toBe('a[U+202E]b ␛[31mc')
  })
  it('gives deep nesting back as plain text, or renders it', () => {
    for (const deep of ['>'.repeat(maxText), '- '.repeat(maxText / 2), '['.repeat(maxText)]) {
      const html = toHTML(deep)
      if (html !== null) expect(html).not.toBe('')
    }
  })
})
