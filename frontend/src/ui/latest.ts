// Questions of which only the newest one's answer counts: letters typed into a
// filter. The earlier ones are cancelled, and their answers are null.

export class Latest {
  private controller: AbortController | null = null

  async run<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    this.controller?.abort()
    const mine = (this.controller = new AbortController())
    try {
      const answer = await ask(mine.signal)
      return mine.signal.aborted ? null : answer
    } catch (error) {
      if (mine.signal.aborted) return null
      throw error
    }
  }

  cancel(): void {
    this.controller?.abort()
    this.controller = null
  }
}
