// Drags the timeline's slider to random places and waits, frame by frame, until
// every visible line is what the file held at the moment that the slider names.
// arguments: edits that changed the file, the texts from each on, number of
// moves, selector of the editor's lines. A promise of [{at, took}].
const [changes, texts, moves, selector] = arguments
const slider = document.querySelector('[role=slider]')
const box = slider.getBoundingClientRect()
const textAt = (id) => texts[changes.findLastIndex((c) => c <= id)]
const visible = () => [...document.querySelector(selector).querySelectorAll('.cm-line')].map((l) => l.textContent).join('\n')
const frame = () => new Promise((done) => requestAnimationFrame(done))
const channel = new MessageChannel()
const task = () => new Promise((done) => { // after the event, and what it set in motion at once
  channel.port1.onmessage = done
  channel.port2.postMessage(null)
})
let seed = 42
const random = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648)
const point = (type, x) => {
  const at = { bubbles: true, cancelable: true, pointerId: 1, button: 0, buttons: type === 'pointerup' ? 0 : 1, clientX: x, clientY: box.top + box.height / 2 }
  slider.dispatchEvent(new PointerEvent(type, at))
}
return (async () => {
  const seen = []
  const place = () => box.left + 8 + random() * (box.width - 16)
  point('pointerdown', place())
  for (let i = 0; i < moves; i++) {
    await frame()
    const start = performance.now()
    point('pointermove', place())
    await task() // the slider says where it is now
    let took = -1
    let at = 0
    while (performance.now() - start < 1000) {
      at = Number(slider.getAttribute('aria-valuenow'))
      const shown = visible()
      if (shown !== '' && textAt(at).includes(shown)) {
        took = performance.now() - start
        break
      }
      await frame()
    }
    seen.push({ at, took })
  }
  point('pointerup', place())
  return seen
})()
