// Draws build/linux/icons/*.png from frontend/public/icon.svg, with Chromium.
// Run it after changing the icon: node build/icons.mjs

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from '../frontend/node_modules/playwright-core/index.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const svg = readFileSync(at('../frontend/public/icon.svg')).toString('base64')
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
for (const size of [16, 32, 48, 64, 128, 256, 512]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<body style="margin:0"><img width="${size}" height="${size}" style="display:block" src="data:image/svg+xml;base64,${svg}">`)
  writeFileSync(at(`linux/icons/${size}.png`), await page.screenshot({ omitBackground: true }))
  await page.close()
}
await browser.close()
