// Reports that something takes long enough to be shown.

const worthSaying = 300 // ms

/** Call it where a component begins; `now` becomes true once busy() has been true for so long. */
export function slow(busy: () => boolean, after = worthSaying): { readonly now: boolean } {
  let long = $state(false)
  const is = $derived(busy())
  $effect(() => {
    if (!is) {
      long = false
      return
    }
    const timer = setTimeout(() => (long = true), after)
    return () => { clearTimeout(timer) }
  })
  return {
    get now() {
      return long
    },
  }
}
