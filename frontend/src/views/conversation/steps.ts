// Next steps in messages, which are written for the command line, in the words of the window. Pure.

/** What a message leads to: the provider's key, its models, the list of providers, or a request beyond the budget. */
export type Step = 'key' | 'models' | 'providers' | 'budget' | ''

export interface Said {
  readonly text: string
  readonly step: Step
}

/** Longer ones first: each is a whole clause, so that the sentence around it stays one. */
const steps: readonly { readonly from: RegExp; readonly to: string; readonly step: Step }[] = [
  { from: /,? or replace it: 'waferpair models add \S+ --key-stdin' replaces the one in the keyring/g, to: ', or change the key here', step: 'key' },
  { from: /: 'waferpair models add \S+ --key-stdin' replaces the one in the keyring/g, to: ', or change it here', step: 'key' },
  { from: /set it, or run 'waferpair models add \S+ --key-stdin'/g, to: 'set it, or add the key here', step: 'key' },
  { from: /run 'waferpair models add \S+ --key-stdin'/g, to: 'add the key here', step: 'key' },
  { from: /give the key with 'waferpair models add \S+ --key-stdin'/g, to: 'add the key here', step: 'key' },
  { from: / \('waferpair models list --refresh'\)/g, to: '', step: 'models' },
  { from: /'waferpair models list --refresh' asks (\S.*?) which there are/g, to: 'look which models $1 has', step: 'models' },
  { from: /'waferpair models list --refresh' asks which models there are/g, to: 'look which models there are', step: 'models' },
  { from: / \('waferpair models list'\)/g, to: '', step: '' },
  { from: /add it: waferpair models add \S+ --(?:base-url|provider) \S+/g, to: 'add it here', step: 'providers' },
  { from: /add one with 'waferpair models add'/g, to: 'add one here', step: 'providers' },
  { from: /send it with --over-budget, or raise daily_budget_usd in config\.toml; 'waferpair models cost' says what it was for/g, to: 'send it anyway, or raise daily_budget_usd in config.toml', step: 'budget' },
  { from: /remove it first: waferpair models remove \S+/g, to: 'remove that one first', step: 'providers' },
]

/** A message with what to do in the window in the place of what to type in a terminal. */
export function inWindow(message: string): Said {
  let text = message
  let step: Step = ''
  for (const s of steps) {
    const next = text.replace(s.from, s.to)
    if (next !== text && step === '') step = s.step
    text = next
  }
  return { text, step }
}
