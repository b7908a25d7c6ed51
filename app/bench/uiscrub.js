// Drags the timeline's slider to random places, at any time of a frame, and waits
// until a frame is painted in which all that says which moment it is names the
// slider's, and every visible line is what the file held then.
// arguments: edits that changed the file, the texts from each on, number of
// moves, selector of the editor's lines. A promise of [{at, took}].
const [changes, texts, moves, selector] = arguments
const slider = document.querySelector('[role=slider]')
const box = slider.getBoundingClientRect()
const random = seeded(42)
const textAt = (id) => texts[changes.findLastIndex((c) => c <= id)]
const visible = () => [...document.querySelector(selector).querySelectorAll('.cm-line')].map((l) => l.textContent).join('\n')
const frame = () => new Promise((done) => requestAnimationFrame(done))
const wait = (ms) => new Promise((done) => setTimeout(done, ms))
const channel = new MessageChannel()
const task = () => new Promise((done) => { // after a frame's callbacks: when it is painted
  channel.port1.onmessage = done
  channel.port2.postMessage(null)
})

function seeded(seed) {
  return () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648)
}

function point(type, x) {
  const at = { bubbles: true, cancelable: true, pointerId: 1, button: 0, buttons: type === 'pointerup' ? 0 : 1, clientX: x, clientY: box.top + box.height / 2 }
  slider.dispatchEvent(new PointerEvent(type, at))
}

const place = () => Number(slider.getAttribute('aria-valuenow'))

/** What the labels say: the bar under the pane and the timeline's toolbar. */
function labels() {
  const said = [document.querySelector('.bar[data-shown] strong'), document.querySelector('.readout .where')]
  return said.map((e) => Number(/\d[\d,]*/.exec(e?.textContent ?? '')?.[0].replaceAll(',', '')))
}

function exact(at) {
  const shown = visible()
  return shown !== '' && textAt(at).includes(shown) && labels().every((n) => n === at)
}

async function move() {
  const before = place()
  let x = 0
  do x = box.left + 8 + random() * (box.width - 16)
  while (Math.abs(x - last) < 3) // another moment
  last = x
  await wait(random() * 16)
  const start = performance.now()
  point('pointermove', x)
  while (performance.now() - start < 1000) {
    await frame()
    const at = place()
    if (at === before || !exact(at)) continue
    await task()
    return { at, took: performance.now() - start }
  }
  return { at: place(), took: -1 }
}

let last = -Infinity
return (async () => {
  const seen = []
  point('pointerdown', box.left + box.width / 2)
  await wait(200)
  for (let i = 0; i < moves; i++) seen.push(await move())
  point('pointerup', last)
  return seen
})()
