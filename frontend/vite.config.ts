import { svelte } from '@sveltejs/vite-plugin-svelte'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const ownIcon = fileURLToPath(new URL('src/ui/LucideIcon.svelte', import.meta.url))

/** Lucide's icons are drawn by our own component. */
const icons: Plugin = {
  name: 'icons',
  enforce: 'pre',
  resolveId: (name, importer) => (name === '../Icon.svelte' && importer?.includes('@lucide/svelte/dist/icons/') ? ownIcon : null),
}

export default defineConfig({
  plugins: [icons, svelte()],
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  build: {
    outDir: 'dist',
    emptyOutDir: true, // public/.gitkeep comes back: Go embeds the folder, also before the first build
    assetsInlineLimit: 0, // the page's policy allows no data: sources but images
    chunkSizeWarningLimit: 1500,
    target: 'es2022',
  },
  // make test runs them beside vet: the limit finds what hangs, not what is slow
  test: { include: ['src/**/*.test.ts'], benchmark: { include: ['src/**/*.bench.ts'] }, environment: 'node', testTimeout: 60_000 },
})
