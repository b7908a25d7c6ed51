import { expect, test } from 'vitest'
import { inWindow } from './steps'

test('a message for the command line says what to do in the window', () => {
  const says: readonly (readonly [string, string, string])[] = [
    ["work: 401 Unauthorized; check its key: 'waferpair models add work --key-stdin' replaces the one in the keyring", 'work: 401 Unauthorized; check its key, or change it here', 'key'],
    ["check its key in the variable WORK_KEY, or replace it: 'waferpair models add work --key-stdin' replaces the one in the keyring", 'check its key in the variable WORK_KEY, or change the key here', 'key'],
    ["there is no key for Work: the variable K is not set, and the keyring has none; set it, or run 'waferpair models add work --key-stdin'", 'there is no key for Work: the variable K is not set, and the keyring has none; set it, or add the key here', 'key'],
    ["there is no key for Work: the keyring has none; run 'waferpair models add work --key-stdin'", 'there is no key for Work: the keyring has none; add the key here', 'key'],
    ["404 Not Found; check the model's name ('waferpair models list --refresh') and base_url", "404 Not Found; check the model's name and base_url", 'models'],
    ["work has no model \"x\"; 'waferpair models list --refresh' asks The work box which there are", 'work has no model "x"; look which models The work box has', 'models'],
    ['no provider is called "x", there are none yet; add it: waferpair models add x --base-url URL', 'no provider is called "x", there are none yet; add it here', 'providers'],
    ["not sent, because of today's budget of $1.00: $1.00 is spent, and this request would cost about $0.01 and its answer; send it with --over-budget, or raise daily_budget_usd in config.toml; 'waferpair models cost' says what it was for", "not sent, because of today's budget of $1.00: $1.00 is spent, and this request would cost about $0.01 and its answer; send it anyway, or raise daily_budget_usd in config.toml", 'budget'],
    ['main.go: no such file', 'main.go: no such file', ''],
  ]
  for (const [message, text, step] of says) expect(inWindow(message)).toEqual({ text, step })
})
