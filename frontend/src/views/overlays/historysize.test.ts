import { expect, it } from 'vitest'
import { bytesWords, capChoices, sizeWords } from './historysize'

it('offers the limit that is set, also an unusual one, in its place', () => {
  expect(capChoices(0).map((c) => c.label)).toEqual(['no limit', '100 MB', '250 MB', '500 MB', '1 GB', '2 GB', '5 GB'])
  expect(capChoices(123e6).map((c) => c.bytes)).toEqual([0, 100e6, 123e6, 250e6, 500e6, 1e9, 2e9, 5e9])
})

it('says bytes in a few digits', () => {
  expect([900, 64_000, 1_500_000, 99_960_000, 2_500_000_000].map(bytesWords)).toEqual(['0.9 KB', '64 KB', '1.5 MB', '100 MB', '2.5 GB'])
})

it('says what the history takes and what was given up', () => {
  const size = { total: 40e6, counted: 24e6, cap: 0, edits: 100, reclaimed: 0 }
  expect(sizeWords(size)).toMatch(/^It takes 40 MB on disk\. Above/)
  expect(sizeWords({ ...size, cap: 50e6 })).toMatch(/^It takes 24 MB of that\. Above/)
  expect(sizeWords({ ...size, cap: 20e6, reclaimed: 7 })).toMatch(/^It takes 24 MB of that; what can go is given up in the background\. The content of 7 of 100 edits was given up\. /)
})
