// What reviews found: comments on lines, which the user accepts, dismisses or has fixed.

import type { App } from '../app'
import type { Finding, FindingState } from '../protocol'
import { busy } from '../state/state'
import { requestFor } from './context'
import { ask, chooseSpeaker } from './turns'
import { speaks } from '../views/composer/models'

/** Reads the findings that are open or accepted, at their lines of now. */
export async function readFindings(app: App): Promise<void> {
  const { findings } = await app.backend.read('findings', { path: '' })
  app.store.dispatch({ type: 'findings', findings })
}

/** Notes what the user decided. */
export async function decide(app: App, finding: Finding, state: FindingState): Promise<void> {
  await app.backend.call('setFinding', { n: finding.n, state })
  await readFindings(app)
}

/** Fixes a finding: with the lines that it suggests, or by the model of the review. */
export async function fix(app: App, finding: Finding): Promise<void> {
  if (busy(app.state) || app.state.asking.sending) return
  if (needsModel(finding) && !speaks(app.state.models, app.state.ui.model)) await chooseSpeaker(app)
  else await ask(app, { ...requestFor('', needsModel(finding) ? app.state.ui.model : '', []), fix: finding.n })
}

/** Without lines to put in place, a model has to find out what to write. */
function needsModel(finding: Finding): boolean {
  return !finding.suggests || finding.outdated !== ''
}
