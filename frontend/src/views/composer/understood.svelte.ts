// What the model understands of the request so far, asked at pauses of typing. Only the answer to the newest text counts.

import { requestFor } from '../../actions/context'
import type { App } from '../../app'
import type { Understood } from '../../protocol'
import { busy } from '../../state/state'
import { Latest } from '../../ui/latest'
import { cut, visible } from '../../visible'
import { speaks } from './models'

const pause = 150 // ms without typing
const mostText = 2000 // characters; a longer text is no request in a sentence

/** The line below the composer; '' where nothing is understood. */
export function understood(app: App): { readonly text: string } {
  let shown = $state.raw<{ readonly of: string; readonly text: string }>({ of: '', text: '' })
  const latest = new Latest()

  $effect(() => {
    const { ui, project } = app.state
    const text = ui.draft.trim()
    latest.cancel()
    if (project === null || text === '' || text.length > mostText || busy(app.state) || ui.mode === 'ask' || speaks(app.state.models, ui.model)) return
    const request = requestFor(text, ui.model, ui.scope)
    const timer = setTimeout(() => {
      const { scope: _scope, ...query } = request
      // a hint: without an answer there is none
      latest.run((signal) => app.backend.read('understood', query, signal)).then((answer) => { if (answer !== null) shown = { of: text, text: wordsOf(answer) } }, () => undefined)
    }, pause)
    return () => { clearTimeout(timer) }
  })
  return {
    get text() {
      return goesOn(app.state.ui.draft.trim(), shown.of) ? shown.text : ''
    },
  }
}

/** While the next letters come, what was understood stays: nothing flickers. */
function goesOn(now: string, of: string): boolean {
  return of !== '' && (now.startsWith(of) || of.startsWith(now)) && Math.abs(now.length - of.length) < 12 && now !== ''
}

/** "rename helper, fallback · main.go". */
export function wordsOf(u: Understood): string {
  if (u.operations.length === 0) return ''
  const what = [u.operations.join(', then '), u.names.join(', ')].filter((s) => s !== '').join(' ')
  const where = u.files.length > 2 ? `${u.files[0] ?? ''} and ${String(u.files.length - 1)} more` : u.files.join(', ')
  const words = [`${what}${u.lacks ? ' …' : ''}`, where].filter((s) => s !== '').join(' · ')
  return visible(cut(`${u.certain ? 'Understood' : 'Perhaps'}: ${words}`, 300).text)
}
