// The look of a turn's endings: a shape and a word, and a colour.

import CircleCheck from '@lucide/svelte/icons/circle-check'
import CircleDashed from '@lucide/svelte/icons/circle-dashed'
import CircleSlash from '@lucide/svelte/icons/circle-slash'
import CircleStop from '@lucide/svelte/icons/circle-stop'
import CircleX from '@lucide/svelte/icons/circle-x'
import Hand from '@lucide/svelte/icons/hand'
import Split from '@lucide/svelte/icons/split'
import type { TurnStatus } from '../../protocol'
import type { Icon } from '../../ui/icon'

export const endingIcons: Readonly<Record<TurnStatus, Icon>> = {
  completed: CircleCheck, declined: CircleSlash, held: Hand, stopped: CircleStop, failed: CircleX, conflict: Split, interrupted: CircleDashed, '': CircleDashed,
}

export const tones: Readonly<Record<TurnStatus, 'good' | 'warn' | 'bad' | 'plain'>> = {
  completed: 'good', declined: 'plain', held: 'warn', stopped: 'plain', failed: 'bad', conflict: 'warn', interrupted: 'warn', '': 'plain',
}
