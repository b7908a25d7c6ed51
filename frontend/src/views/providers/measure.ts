// What was measured of a provider, in words. Pure.

import type { ProviderSpeed, WireSpeed } from '../../protocol'
import { capital } from '../../visible'

const names: Readonly<Record<string, string>> = { websocket: 'WebSocket', sse: 'HTTP + SSE', chat: 'Chat completions' }

export function wireName(wire: string): string {
  return names[wire] ?? wire
}

/** A step of a running measurement: "HTTP + SSE: tokens a second". */
export function stepText(doing: string): string {
  const [wire, rest] = [doing.slice(0, doing.indexOf(':')), doing.slice(doing.indexOf(':') + 1)]
  return names[wire] === undefined ? capital(doing) : `${wireName(wire)}:${rest}`
}

/** What the model's tools are good for. */
export function toolsText(tools: string): string {
  if (tools === 'yes') return 'Calls tools: edits come as patches, and it can read files.'
  return `Calls no tools: edits come as patches in its text${tools.startsWith('no: it answered in words') ? '' : ` (${tools.replace(/^no: /, '')})`}.`
}

/** How much sooner the best wire's first token comes than that of the next one; '' if there is nothing to compare. */
export function gainText(speed: ProviderSpeed): string {
  const [best, next] = speed.wires.filter((w) => w.refused === '')
  if (best === undefined || next === undefined || best.ttftMs <= 0 || next.ttftMs <= 0) return ''
  const percent = Math.round((1 - best.ttftMs / next.ttftMs) * 100)
  if (Math.abs(percent) < 5) return `${wireName(best.wire)} and ${wireName(next.wire)} are as fast here.`
  return `First token ${String(Math.abs(percent))} % ${percent > 0 ? 'sooner' : 'later'} over ${wireName(best.wire)} than over ${wireName(next.wire)}.`
}

/** Why a wire is not there, short: the whole reason is its title. */
export function refusalText(wire: WireSpeed): string {
  return `not there: ${wire.refused.replace(/^.*?: /, '')}`
}
