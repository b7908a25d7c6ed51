// Moves the focus to a part of the page, once it is drawn. A part names the
// element that takes the focus by data-focus.

import { tick } from 'svelte'

export async function focusOn(name: string): Promise<void> {
  await tick()
  const element = document.querySelector<HTMLElement>(`[data-focus="${name}"]`)
  element?.focus()
  if (element instanceof HTMLInputElement) element.select()
}

/** F6 goes round the regions of the window: those in sight, in reading order. */
export function nextRegion(by: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')]
  const here = regions.findLastIndex((r) => r.contains(document.activeElement)) // the innermost
  for (let n = 1; n <= regions.length; n++) {
    const region = regions[(((here + by * n) % regions.length) + regions.length) % regions.length]
    const target = region && firstFocusable(region)
    if (!target) continue
    target.focus()
    return
  }
}

const focusable = '.cm-content, [data-focus], textarea, input:not([type=hidden]), [tabindex="0"], button:not(:disabled)'

function firstFocusable(region: HTMLElement): HTMLElement | null {
  for (const selector of focusable.split(', ')) {
    const found = [...region.querySelectorAll<HTMLElement>(selector)].find((e) => e.checkVisibility({ visibilityProperty: true }))
    if (found) return found
  }
  return null
}
