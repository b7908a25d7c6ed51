/// <reference types="svelte" />
/// <reference types="vite/client" />

/** The version of the build, set by Vite. */
declare const __BUILD__: string
