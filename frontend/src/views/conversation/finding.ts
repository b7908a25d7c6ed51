// The words of a finding. Pure.

import type { Finding, FindingState, Severity } from '../../protocol'

export const severityName: Readonly<Record<Severity, string>> = { error: 'Error', warning: 'Warning', note: 'Note' }

const decided: Readonly<Record<FindingState, string>> = { open: '', accepted: 'Accepted', dismissed: 'Dismissed', fixed: 'Fixed' }

/** What was decided about a finding; '' while it is open. */
export function decidedText(finding: Finding): string {
  return finding.state === 'fixed' && finding.fixed !== undefined ? `Fixed by turn ${String(finding.fixed)}` : decided[finding.state]
}

/** The place of a finding: a path with lines, where it is known. */
export function placeText({ path, from, to }: Finding): string {
  if (from === 0) return path
  return to > from ? `${path}:${String(from)}-${String(to)}` : `${path}:${String(from)}`
}

/** What Fix would do. */
export function fixText(finding: Finding): string {
  return finding.suggests && finding.outdated === '' ? 'Put the suggested lines in place' : 'Ask the model to fix it'
}
