// `npm run bench`: what drawing the timeline of 100,000 edits takes.

import { bench } from 'vitest'
import { random } from '../testing/random'
import { axisOf } from './axis'
import { bucketsOf } from './buckets'
import { sampleEdits } from './sample'
import { rulerOf } from './ticks'
import { wholeOf } from './window'

const edits = sampleEdits(random(1), 100_000)
const axis = axisOf(edits, 'time')

bench('axis', () => { axisOf(edits, 'time') })
bench('bars', () => { bucketsOf(edits, axis, { from: 0, to: axis.length }, 400, null) })
bench('ruler', () => { rulerOf(edits, axis, wholeOf(axis), 1400, 0, (label) => label.length * 6) })
