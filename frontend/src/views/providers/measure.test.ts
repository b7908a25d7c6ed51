import { expect, test } from 'vitest'
import type { WireSpeed } from '../../protocol'
import { gainText, stepText, toolsText } from './measure'

const wire = (name: string, ttftMs: number, refused = ''): WireSpeed => ({ wire: name, refused, firstMs: ttftMs * 2, ttftMs, perSecond: 100 })
const speed = (...wires: WireSpeed[]): string => gainText({ model: 'm', wire: 'websocket', tools: 'yes', wires })

test('the wires are compared by their first token', () => {
  expect(speed(wire('websocket', 60), wire('sse', 80))).toBe('First token 25 % sooner over WebSocket than over HTTP + SSE.')
  expect(speed(wire('websocket', 100), wire('sse', 80))).toBe('First token 25 % later over WebSocket than over HTTP + SSE.')
  expect(speed(wire('websocket', 0, 'the upgrade was refused'), wire('sse', 80), wire('chat', 81))).toBe('HTTP + SSE and Chat completions are as fast here.')
  expect(speed(wire('chat', 81))).toBe('')
})

test('a step and the tools are said in words', () => {
  expect(stepText('sse: time to the first token, 2 of 5')).toBe('HTTP + SSE: time to the first token, 2 of 5')
  expect(stepText('connecting over a WebSocket')).toBe('Connecting over a WebSocket')
  expect(toolsText('yes')).toMatch(/^Calls tools/)
  expect(toolsText('no: it answered in words; edits come as patches in its text')).toBe('Calls no tools: edits come as patches in its text.')
  expect(toolsText('no: 400 Bad Request')).toBe('Calls no tools: edits come as patches in its text (400 Bad Request).')
})
