// Words for what the emulated wafer would have done: estimates, which are never shown like a measurement. Pure.

import type { Estimate, Placement, WaferSRAM } from '../../protocol'
import { count, counted } from '../../visible'

/** "≈ 3,229": an estimated rate; "–" when nothing was written yet. */
export function aboutText(perSecond: number): string {
  return perSecond > 0 ? `≈ ${count(Math.round(perSecond))}` : '–'
}

/** "2,040 to 5,075", or '' without a band. */
export function bandText(band: Estimate['band']): string {
  return band === null ? '' : `${count(Math.round(band.low_decode_tok_s))} to ${count(Math.round(band.high_decode_tok_s))}`
}

/** "WSE-3, 1 wafer, 2 regions of 205 × 205 cores" */
export function placeText(p: Placement): string {
  const side = String(p.mesh ?? 0)
  return `${(p.machine ?? '').toUpperCase()}, ${counted(p.wafers ?? 0, 'wafer')}, ${counted(p.regions ?? 0, 'region')}, layers on ${side} × ${side} cores`
}

/** "37.3 of 48 KiB" */
export function sramText(p: Placement): string {
  return `${kib(p.sram_bytes_per_core ?? 0)} of ${kib(p.sram_bytes_of_core ?? 0)} KiB`
}

/** The content of the fullest core, in the order of its bar. */
export function sramParts(s: WaferSRAM): readonly { readonly name: string; readonly bytes: number }[] {
  return [{ name: 'reserve', bytes: s.reserved }, { name: 'weights', bytes: s.weights }, { name: 'KV', bytes: s.kv }, { name: 'buffers', bytes: s.buffers }, { name: 'free', bytes: s.free }]
}

export function kib(bytes: number): string {
  const n = bytes / 1024
  return Number.isInteger(n) ? String(n) : n.toFixed(1)
}

/** Cycles in a few letters: 44,224 · 6.1 M · 2.3 G */
export function cyclesText(cycles: number): string {
  if (cycles >= 1e9) return `${(cycles / 1e9).toFixed(1)} G`
  if (cycles >= 1e6) return `${(cycles / 1e6).toFixed(1)} M`
  return count(Math.round(cycles))
}

/** One line about a turn: "wafer estimate ≈ 3,229 tok/s"; '' where there is none. */
export function estimateLine(e: Estimate | undefined): string {
  return e === undefined || !placed(e) || e.estimated_tok_s === 0 ? '' : `wafer estimate ${aboutText(e.estimated_tok_s)} tok/s`
}

/** The same with the band and the place, for a tooltip. */
export function estimateHelp(e: Estimate): string {
  const band = bandText(e.band)
  return `An estimate, not a measurement: the same passes on an emulated wafer, ${placeText(e)}${band === '' ? '' : `; ${band} tok/s by assumptions`}`
}

export function placed(e: Estimate): boolean {
  return e.not_placed === undefined
}
