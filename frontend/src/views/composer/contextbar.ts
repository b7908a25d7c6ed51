// What a request would send, by part, for the bar under the composer. Pure.

import type { ContextInfo, ContextKind, ContextPart } from '../../protocol'
import { capital } from '../../visible'
import { tokensText } from './models'

/** The kinds as the bar shows them, in the order of a prompt. */
const shown = [
  { name: 'Instructions', of: ['instructions'] },
  { name: 'Project rules', of: ['rules'] },
  { name: 'Map', of: ['map'] },
  { name: 'Files', of: ['file'] },
  { name: 'Conversation', of: ['summary', 'conversation'] },
  { name: 'Request', of: ['place', 'request'] },
] as const satisfies readonly { readonly name: string; readonly of: readonly ContextKind[] }[]

export type SegmentName = (typeof shown)[number]['name']

export interface Segment {
  readonly name: SegmentName
  readonly tokens: number
  readonly share: number // of the model's context, 0 to 1
  readonly parts: readonly ContextPart[]
}

/** The parts together by kind; a kind without parts is left out. */
export function segments(info: ContextInfo): readonly Segment[] {
  return shown.flatMap(({ name, of }) => {
    const parts = info.parts.filter((p) => (of as readonly ContextKind[]).includes(p.kind))
    const tokens = parts.reduce((n, p) => n + p.tokens, 0)
    return parts.length === 0 ? [] : [{ name, tokens, share: info.limit > 0 ? tokens / info.limit : 0, parts }]
  })
}

/** The only part of a kind that is called as its kind: it needs no row of its own. */
export function alone(segment: Segment): ContextPart | null {
  const [only, ...more] = segment.parts
  return only !== undefined && more.length === 0 && only.path === undefined && only.kind !== 'summary' && !only.name.startsWith('turn ') ? only : null
}

/** A part's name in a list. */
export function labelOf(part: { readonly kind: ContextKind; readonly name: string; readonly path?: string }): string {
  return part.kind === 'summary' ? `Summary of ${part.name}` : part.path ?? capital(part.name)
}

/** "12k of 128k tokens". */
export function amount(info: ContextInfo): string {
  return `${tokensText(info.tokens)} of ${tokensText(info.limit)} tokens`
}

/** How full the context is: its last tenth is a warning. */
export function tight(info: ContextInfo): boolean {
  return info.tokens > 0.9 * (info.limit - info.reserve)
}
