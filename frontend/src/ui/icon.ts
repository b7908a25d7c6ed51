// The icons: lucide's, imported one by one so that only these are bundled, 15 px with a thin stroke, and
// hidden from screen readers; the element around an icon has the name.

import type { LucideIcon } from '@lucide/svelte'

export type Icon = LucideIcon

export const iconProps = { size: 15, strokeWidth: 1.75, 'aria-hidden': 'true' } as const
