// Places an overlay: beside its anchor, on the side that has room, and never outside the window.

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export type Align = 'start' | 'end' | 'center'

const margin = 6 // px to the window's edge
const distance = 4 // px to the anchor

export function place(anchor: Box, size: Size, view: Size, align: Align): { left: number; top: number } {
  const below = anchor.bottom + distance
  const above = anchor.top - distance - size.height
  const fits = below + size.height <= view.height - margin
  const top = fits || above < margin ? below : above
  return {
    left: within(leftOf(anchor, size, align), size.width, view.width),
    top: within(top, size.height, view.height),
  }
}

function leftOf(anchor: Box, size: Size, align: Align): number {
  if (align === 'start') return anchor.left
  if (align === 'end') return anchor.right - size.width
  return (anchor.left + anchor.right - size.width) / 2
}

function within(at: number, length: number, space: number): number {
  return Math.round(Math.max(margin, Math.min(at, space - margin - length)))
}

/** Puts a shown element beside its anchor, or at a point. */
export function putAt(element: HTMLElement, anchor: Box, align: Align): void {
  const size = element.getBoundingClientRect()
  const at = place(anchor, size, { width: innerWidth, height: innerHeight }, align)
  element.style.left = `${String(at.left)}px`
  element.style.top = `${String(at.top)}px`
}

export function pointBox(x: number, y: number): Box {
  return { left: x, right: x, top: y - distance, bottom: y - distance }
}
