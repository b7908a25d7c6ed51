// What a text field needs beyond Svelte.

/** Replaces the text so that the browser can undo it, and sets the caret. */
export function write(box: HTMLTextAreaElement, text: string, caret: number): void {
  box.focus()
  if (box.value !== text) {
    box.setSelectionRange(0, box.value.length)
    const written = document.execCommand(text === '' ? 'delete' : 'insertText', false, text)
    if (!written || box.value !== text) {
      box.value = text
      box.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }
  box.setSelectionRange(caret, caret)
}

const canvas = typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d')

/** Whether the text fits into one row: then the arrow keys cannot move in it. */
export function oneRow(box: HTMLTextAreaElement): boolean {
  if (box.value === '') return true
  if (box.value.length > 500 || box.value.includes('\n') || canvas === null) return false
  const style = getComputedStyle(box)
  canvas.font = style.font
  return canvas.measureText(box.value).width < box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
}
