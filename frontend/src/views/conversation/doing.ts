// What a running turn is doing, in a few words. Pure.

import type { TurnLive } from '../../protocol'
import { capital } from '../../visible'

export interface Doing {
  readonly text: string
  readonly waits: boolean // for a provider that refused: it is tried again
}

/** What a model does that has no output now; null when that is not known. */
export function doing(live: TurnLive): Doing | null {
  if (live.doing === undefined) return null
  const { phase, note, done, total } = live.doing
  switch (phase) {
    case 'retry': {
      const seconds = Math.ceil(Math.max(0, total - done) / 1000)
      const again = seconds > 0 ? `Trying again in ${String(seconds)} s` : 'Trying again'
      return { text: note === '' ? again : `${again}: ${note}`, waits: true } // the countdown first: the reason may be cut
    }
    case 'queue':
      return { text: done > 0 ? `Place ${String(done)} in the queue` : 'Waiting in the queue', waits: false }
    case 'connect':
      return { text: 'Connecting', waits: false }
    case 'load':
      return { text: 'Loading the model', waits: false }
    case 'prefill':
      return { text: 'The model reads the request', waits: false }
    case 'tools':
      return { text: note === '' ? 'Working' : capital(note), waits: false }
    case 'summary':
      return { text: `Writing a summary of ${note}, to save room`, waits: false }
    case 'decode':
      return { text: 'Thinking', waits: false }
    case 'writing':
    case 'compile':
      break
  }
  return null
}
