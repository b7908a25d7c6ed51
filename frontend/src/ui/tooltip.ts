// Shows an element's name on hover and on keyboard focus, with the key that does the same. One box for the whole
// page; it repeats the element's accessible name, so screen readers do not need it.

import type { Attachment } from 'svelte/attachments'
import { keyLabel } from '../commands/command'
import { visible } from '../visible'
import { putAt } from './place'

const delay = 450 // ms of hover

let box: HTMLElement | null = null
let timer: ReturnType<typeof setTimeout> | undefined

function boxOf(): HTMLElement {
  if (box !== null) return box
  box = document.createElement('div')
  box.className = 'tooltip'
  box.popover = 'manual'
  box.setAttribute('aria-hidden', 'true')
  return box
}

function fill(text: string, key: string | undefined): HTMLElement {
  const element = boxOf()
  element.replaceChildren(visible(text))
  if (key !== undefined) {
    const kbd = document.createElement('kbd')
    kbd.textContent = keyLabel(key)
    element.append(kbd)
  }
  return element
}

function show(anchor: Element, text: string, key: string | undefined): void {
  const element = fill(text, key)
  const host = anchor.closest('dialog') ?? document.body
  if (element.parentElement !== host) host.append(element)
  element.showPopover()
  putAt(element, anchor.getBoundingClientRect(), 'center')
}

function hide(): void {
  clearTimeout(timer)
  if (box?.isConnected && box.matches(':popover-open')) box.hidePopover()
}

/** `{@attach tooltip('Settings', 'Mod-,')}`; no text, no box. */
export function tooltip(text: string, key?: string): Attachment<Element> {
  return (element) => {
    const soon = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => { show(element, text, key) }, delay)
    }
    const focused = (): void => {
      if (element.matches(':focus-visible')) soon()
    }
    if (text === '') return
    element.addEventListener('pointerenter', soon)
    element.addEventListener('focus', focused)
    for (const ending of endings) element.addEventListener(ending, hide)
    return () => {
      hide()
      element.removeEventListener('pointerenter', soon)
      element.removeEventListener('focus', focused)
      for (const ending of endings) element.removeEventListener(ending, hide)
    }
  }
}

const endings = ['pointerleave', 'pointerdown', 'blur', 'keydown'] as const
