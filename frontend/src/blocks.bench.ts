// `npm run bench`: a stream of 1 MB of prose, in pieces.

import { bench } from 'vitest'
import { Blocks } from './blocks'

const text = 'A line of prose that says something.\n\n```go\nx := 1\n```\n'.repeat(20_000)

bench('1 MB in pieces of 20 kB', () => {
  const blocks = new Blocks()
  for (let at = 0; at < text.length; at += 20_000) blocks.update(text.slice(0, at))
})
