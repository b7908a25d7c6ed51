// Limits how often a shown value changes: figures five times a second, growing prose twenty times.

export function steady<T>(get: () => T, every = 200): { readonly value: T } {
  let shown = $state.raw(get())
  let last = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  $effect(() => {
    const next = get()
    const wait = last + every - performance.now()
    clearTimeout(timer)
    const show = (): void => {
      last = performance.now()
      shown = next
    }
    if (wait <= 0) show()
    else timer = setTimeout(show, wait)
  })
  $effect(() => () => { clearTimeout(timer) })
  return {
    get value() {
      return shown
    },
  }
}
