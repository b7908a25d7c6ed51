// The states that a page stored for its next start, as far as Go has confirmed them.

/**
 * Returns the states, newest last, from the page's next connection on.
 * @param {import('playwright-core').Page} page
 * @returns {readonly { active: string, draft: string, view: { kind: string } | null }[]}
 */
export function writtenStates(page) {
  const states = []
  const asked = new Map()
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      const message = JSON.parse(String(payload))
      if (message.cmd === 'setUI') asked.set(message.id, message.ui)
    })
    socket.on('framereceived', ({ payload }) => {
      const message = JSON.parse(String(payload))
      if (message.type === 'reply' && !message.error && asked.has(message.re)) states.push(asked.get(message.re))
    })
  })
  return states
}
