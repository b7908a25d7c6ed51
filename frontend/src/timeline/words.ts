// Formats moments: as short as possible without being unclear.

import { authorName } from '../state/state'
import { partial, reverted, type Edits } from './edits'

const day = 86_400_000

const formats = {
  second: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
  minute: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }),
  weekday: new Intl.DateTimeFormat('en-GB', { weekday: 'short' }),
  date: new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' }),
  year: new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' }),
} as const

export function clock(time: number, seconds = true): string {
  return (seconds ? formats.second : formats.minute).format(time)
}

export function sameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString()
}

/** "Tue", "Nov 3" or "Nov 3, 2024", whichever is enough today. */
export function dayName(time: number, now: number): string {
  if (now - time < 6 * day && time <= now) return formats.weekday.format(time)
  return (new Date(time).getFullYear() === new Date(now).getFullYear() ? formats.date : formats.year).format(time)
}

/** "10:42:03" today, "Tue 14:10:09" this week, "Nov 3, 14:10:09" before. */
export function timeWords(time: number, now: number): string {
  if (sameDay(time, now)) return clock(time)
  const name = dayName(time, now)
  return `${name}${/\d/.test(name) ? ',' : ''} ${clock(time)}`
}

/** A pause, in its largest unit: "45 s", "12 min", "3 h", "2 days". */
export function pauseWords(ms: number): string {
  if (ms < 90_000) return `${String(Math.round(ms / 1000))} s`
  if (ms < 90 * 60_000) return `${String(Math.round(ms / 60_000))} min`
  if (ms < 36 * 3_600_000) return `${String(Math.round(ms / 3_600_000))} h`
  return `${String(Math.round(ms / day))} days`
}

/** Created once: toLocaleString creates one each time, which takes longer than the rest of a slider's move. */
const grouped = new Intl.NumberFormat('en-US')

export function number(n: number): string {
  return grouped.format(n)
}

/** The request of a turn in one line. */
export function requestOf(edits: Edits, turn: number): string {
  const band = turn === 0 ? undefined : edits.bands.find((b) => b.turn === turn)
  return (band?.request ?? '').replace(/\s+/g, ' ').trim()
}

/** "Model: rename parseConfig", or another author, with the edit's state. */
export function madeBy(edits: Edits, index: number): string {
  const who = authorName[edits.authorNames[edits.authors[index]!]!]
  const request = requestOf(edits, edits.turns[index]!)
  const flags = edits.flags[index]!
  const fate = (flags & reverted) !== 0 ? ', reverted' : (flags & partial) !== 0 ? ', cut off' : ''
  return `${who}${request === '' ? '' : `: ${request}`}${fate}`
}

/** The edit at a place; edits are counted once all are known. */
export function placeName(edits: Edits, place: number): string {
  if (edits.earlier !== 0) return place < 0 ? 'Loading earlier edits' : `Edit ${number(edits.ids[place]!)}`
  return place < 0 ? 'Before the first edit' : `Edit ${number(place + 1)} of ${number(edits.count)}`
}

/** The slider's value as text. */
export function placeWords(edits: Edits, place: number, now: number): string {
  if (edits.count === 0) return 'No edits yet'
  if (edits.earlier !== 0) {
    if (place < 0) return 'Loading earlier edits'
    return `${place >= edits.count - 1 ? 'Now' : `Edit ${number(edits.ids[place]!)}`}, ${timeWords(edits.times[place]!, now)}, ${madeBy(edits, place)}`
  }
  if (place < 0) return `Before the first of ${number(edits.count)} edits`
  const which = place >= edits.count - 1 ? `Now, after ${number(edits.count)} edits` : `Edit ${number(place + 1)} of ${number(edits.count)}`
  return `${which}, ${timeWords(edits.times[place]!, now)}, ${madeBy(edits, place)}`
}
