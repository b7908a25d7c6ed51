import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [svelte()],
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  build: {
    outDir: 'dist',
    emptyOutDir: true, // public/.gitkeep comes back: Go embeds the folder, also before the first build
    assetsInlineLimit: 0, // the page's policy allows no data: sources but images
    chunkSizeWarningLimit: 1500,
    target: 'es2022',
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
})
