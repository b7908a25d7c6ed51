// Messages that another page would send over a connection of its own.

export class Wire {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
  }

  /** Go's first message, which includes the stored state. @returns {Promise<any>} */
  hello() {
    return this.page.evaluate(async () => {
      const socket = new WebSocket(`ws://${location.host}/ws`, ['waferpair', `token.${sessionStorage.getItem('token')}`])
      const hello = await new Promise((resolve, reject) => {
        socket.onmessage = (event) => { resolve(JSON.parse(event.data)) }
        socket.onerror = () => { reject(new Error('no greeting')) }
      })
      socket.close()
      return hello
    })
  }

  /**
   * Sends a command, and waits for its reply.
   * @param {string} cmd
   * @param {Readonly<Record<string, unknown>>} args
   */
  command(cmd, args) {
    return this.page.evaluate(async (call) => {
      const socket = new WebSocket(`ws://${location.host}/ws`, ['waferpair', `token.${sessionStorage.getItem('token')}`])
      await new Promise((resolve, reject) => {
        socket.onmessage = (event) => {
          const message = JSON.parse(event.data)
          if (message.type === 'hello') socket.send(JSON.stringify(call))
          if (message.type !== 'reply') return
          if (message.error) reject(new Error(message.error.message))
          else resolve(null)
        }
      })
      socket.close()
    }, { ...args, id: 1, cmd })
  }

  /** Sends a request without the composer. @param {string} text @param {string} model */
  ask(text, model) {
    return this.command('edit', { text, model, file: '', from: 0, to: 0, scope: [] })
  }
}
