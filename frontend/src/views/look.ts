// Applies the appearance settings: to the root element, where the styles read them, and to the window's background.

import type { Native } from '../native'
import type { Prefs } from '../protocol'
import { rowHeight } from '../ui/metrics'

export function applyLook(prefs: Prefs, systemDark: boolean, native?: Native): void {
  const root = document.documentElement
  root.dataset['theme'] = prefs.theme === 'system' ? (systemDark ? 'dark' : 'light') : prefs.theme
  root.dataset['density'] = prefs.density
  root.style.setProperty('--size', `${String(prefs.fontSize)}px`)
  root.style.setProperty('--row', `${String(rowHeight(prefs))}px`)
  native?.setBackground(getComputedStyle(root).getPropertyValue('--bg').trim())
}
