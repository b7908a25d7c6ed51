// Tells that something takes long enough to be worth saying.

const worthSaying = 300 // ms

/** Call it where a component begins; `now` is true once busy() has been for so long. */
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
