// What the benchmark of the window looks at, from inside the page. It only
// observes: events, animation frames, and changes of the document's lines.
// A frame counts as painted when the task that follows its callbacks runs. What changes in the
// callbacks of a frame is in that frame; what changes at another time, in the next one.
(() => {
  const probe = { frames: [], keys: [], shown: [], waiting: [], escape: 0, enter: 0, sought: '', found: 0, painted: [], running: false }
  const channel = new MessageChannel()
  let tasks = []
  channel.port1.onmessage = () => {
    const now = performance.now()
    const due = tasks
    tasks = []
    for (const task of due) task(now)
  }
  const afterPaint = (task) => {
    tasks.push(task)
    if (tasks.length === 1) channel.port2.postMessage(null)
  }
  let inFrame = false // from here to the task that follows, the callbacks of a frame run
  const frame = (now) => {
    if (!probe.running) return
    probe.frames.push(now)
    inFrame = true
    afterPaint(() => (inFrame = false))
    requestAnimationFrame(frame)
  }
  const whenPainted = (task) => {
    if (inFrame) afterPaint(task)
    else requestAnimationFrame(() => afterPaint(task))
  }
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') probe.escape = event.timeStamp
    if (event.key === 'Enter') probe.enter = event.timeStamp
    if (event.key.length === 1 && watched?.contains(event.target)) probe.waiting.push({ key: event.key, at: event.timeStamp })
  }, { capture: true })
  let watched = null // keys typed elsewhere do not count
  let frameAsked = false
  const changed = () => {
    probe.shown.push(performance.now())
    if (frameAsked) return
    frameAsked = true
    whenPainted((now) => {
      frameAsked = false
      probe.painted.push(now)
      for (const key of probe.waiting) probe.keys.push(now - key.at)
      probe.waiting = []
    })
  }
  probe.watch = (selector) => {
    watched = document.querySelector(selector)
    new MutationObserver(changed).observe(watched, { subtree: true, childList: true, characterData: true })
  }
  // a text that the page is to show, anywhere
  const shows = (record) =>
    record.type === 'characterData'
      ? record.target.data.includes(probe.sought)
      : [...record.addedNodes].some((node) => node.textContent.includes(probe.sought))
  const seeker = new MutationObserver((records) => {
    if (probe.sought === '' || !records.some(shows)) return
    probe.sought = ''
    whenPainted((now) => (probe.found = now))
  })
  probe.seek = (text) => {
    Object.assign(probe, { sought: text, found: 0 })
    seeker.observe(document.body, { subtree: true, childList: true, characterData: true })
  }
  probe.start = () => {
    Object.assign(probe, { frames: [], keys: [], shown: [], waiting: [], painted: [], escape: 0, enter: 0, running: true })
    requestAnimationFrame(frame)
  }
  probe.stop = () => {
    probe.running = false
    seeker.disconnect()
    const wall = performance.timeOrigin + probe.enter
    return { enter: probe.enter, found: probe.found, wall, frames: probe.frames, keys: probe.keys, shown: probe.shown, painted: probe.painted, escape: probe.escape }
  }
  window.__probe = probe
})()
