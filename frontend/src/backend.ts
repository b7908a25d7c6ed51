// The page's only connection to Go: commands and frames over a WebSocket, reads over /api. It
// reconnects by itself; the outcome of a command in flight is then unknown, so its promise
// fails with code "lost" and the caller decides.

import type { Commands, Failure, Frame, Hello, Reads, ServerMessage } from './protocol'

/** Where the server is. */
export interface Address {
  readonly http: string // origin for /api
  readonly ws: string
  readonly token: string
}

/** A command or read that failed. */
export class CallError extends Error {
  constructor(
    readonly code: Failure['code'] | 'lost',
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

/** refused: the server is there but does not know the token; trying again would not help. */
export type Link = 'connecting' | 'open' | 'lost' | 'refused'

export interface BackendEvents {
  link(state: Link): void
  /** The server refuses this page, with a reason. */
  refused(message: string): void
  hello(hello: Hello): void
  /** Shows the frame; the server sends the next one when the promise resolves. */
  frame(frame: Frame): Promise<void>
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: CallError) => void
}

const freshFor = 1000 // ms for which an early answer is valid
const retryAfter = [100, 200, 500, 1000, 2000] as const // ms

export class Backend {
  private socket: WebSocket | null = null
  private readonly waiting = new Map<number, Waiting>()
  private readonly ahead = new Map<string, unknown>() // answers, by URL
  private next = 1
  private attempts = 0
  private closed = false

  constructor(
    private readonly address: Address,
    private readonly events: BackendEvents,
  ) {}

  connect(): void {
    this.events.link(this.attempts === 0 ? 'connecting' : 'lost')
    const socket = new WebSocket(this.address.ws, ['waferpair', `token.${this.address.token}`])
    this.socket = socket
    socket.onmessage = (event) => {
      if (typeof event.data === 'string') this.receive(JSON.parse(event.data) as ServerMessage)
    }
    socket.onclose = () => {
      if (this.socket === socket) this.lost()
    }
  }

  close(): void {
    this.closed = true
    this.socket?.close()
  }

  /** Runs a command; rejects with a CallError. */
  call<C extends keyof Commands>(cmd: C, args: Commands[C]['in']): Promise<Commands[C]['out']> {
    return new Promise((resolve, reject) => {
      if (this.socket?.readyState !== WebSocket.OPEN) {
        reject(new CallError('lost', 'Connection lost. Reconnecting…'))
        return
      }
      const id = this.next++
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      this.socket.send(JSON.stringify({ ...args, id, cmd }))
    })
  }

  /** Reads from /api; rejects with a CallError. */
  async read<R extends keyof Reads>(what: R, query: Reads[R]['in'], signal?: AbortSignal): Promise<Reads[R]['out']> {
    const post = what === 'spans' || what === 'connect' || what === 'understood' || what === 'context'
    const url = this.readURL(what, post ? {} : query)
    const init: RequestInit = { ...this.authorized(), ...(signal ? { signal } : {}) }
    if (post) Object.assign(init, { method: 'POST', body: JSON.stringify(query) })
    const response = await fetch(url, init).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw new CallError('lost', 'Waferpair does not respond. Is it still running?')
    })
    const body = (await response.json().catch((error: unknown) => {
      if (signal?.aborted) throw error
      return null
    })) as unknown
    if (!response.ok) throw failure(body, response.status)
    return body as Reads[R]['out']
  }

  /** Reads what will be needed in a moment. The next read of it gets the early answer. */
  async readAhead<R extends keyof Reads>(what: R, query: Reads[R]['in']): Promise<void> {
    const url = this.readURL(what, query)
    this.ahead.set(url, await this.read(what, query))
    setTimeout(() => this.ahead.delete(url), freshFor)
  }

  /** The early answer, once. */
  early<R extends keyof Reads>(what: R, query: Reads[R]['in']): Reads[R]['out'] | undefined {
    const url = this.readURL(what, query)
    const answer = this.ahead.get(url) as Reads[R]['out'] | undefined
    this.ahead.delete(url)
    return answer
  }

  private readURL(what: string, query: object): string {
    return `${this.address.http}/api/${what}${queryString(query)}`
  }

  private authorized(): RequestInit {
    return { headers: { Authorization: `Bearer ${this.address.token}` } }
  }

  private receive(message: ServerMessage): void {
    switch (message.type) {
      case 'hello':
        this.attempts = 0
        this.events.link('open')
        this.events.hello(message)
        return
      case 'reply': {
        const waiting = this.waiting.get(message.re)
        this.waiting.delete(message.re)
        if (message.error) waiting?.reject(new CallError(message.error.code, message.error.message, message.error.data))
        else waiting?.resolve(message.ok ?? null)
        return
      }
      case 'frame': {
        const socket = this.socket
        void this.events.frame(message).finally(() => {
          if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ ack: message.seq }))
        })
      }
    }
  }

  private lost(): void {
    const error = new CallError('lost', 'The connection was lost before the reply arrived.')
    for (const waiting of this.waiting.values()) waiting.reject(error)
    this.waiting.clear()
    if (this.closed) return
    this.attempts++
    this.events.link('lost')
    const wait = retryAfter[Math.min(this.attempts, retryAfter.length) - 1] ?? 2000
    setTimeout(() => void this.tryAgain(), wait)
  }

  /** A WebSocket does not say why it failed; a read does. */
  private async tryAgain(): Promise<void> {
    const answer = await fetch(`${this.address.http}/api/build`, this.authorized()).catch(() => null)
    if (answer?.status !== 401 && answer?.status !== 403) {
      this.connect()
      return
    }
    this.closed = true
    this.events.link('refused')
    this.events.refused((await answer.text()).trim())
  }
}

/** Lists repeat their key; undefined is left out. */
function queryString(query: object): string {
  const out = new URLSearchParams()
  for (const [key, value] of Object.entries(query) as [string, unknown][]) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) out.append(key, String(one))
  }
  const text = out.toString()
  return text === '' ? '' : `?${text}`
}

function failure(body: unknown, status: number): CallError {
  const error = (body as { error?: Failure } | null)?.error
  if (error) return new CallError(error.code, error.message, error.data)
  return new CallError('failed', `Waferpair answered with status ${String(status)}.`)
}

/** Finds the server: the window's own handler names it; a browser has the token in its URL. */
export async function findServer(): Promise<Address> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? sessionStorage.getItem('token')
  if (location.protocol === 'http:') {
    if (token === null) throw new CallError('failed', "This address needs its token: open the whole URL that 'waferpair serve' prints.")
    sessionStorage.setItem('token', token)
    history.replaceState(null, '', location.pathname)
    return { http: location.origin, ws: `ws://${location.host}/ws`, token }
  }
  const boot = (await (await fetch('/boot.json')).json()) as { ws: string; token: string }
  return { http: '', ws: boot.ws, token: boot.token }
}
