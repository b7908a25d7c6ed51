// The height of a row, in whole pixels: lists compute with it, so styles and lists must agree.

import type { Prefs } from '../protocol'

export function rowHeight(prefs: Pick<Prefs, 'fontSize' | 'density'>): number {
  return Math.round(prefs.fontSize * (prefs.density === 'compact' ? 1.7 : 2))
}
