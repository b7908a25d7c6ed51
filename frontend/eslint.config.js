// What tsc and svelte-check do not look at: promises that nobody waits for,
// switches that leave a case out, and what else is wrong with types known.
//
// Left to svelte-check: whatever needs a component compiled, and the types of
// components' properties, which only it resolves; so `any` is looked for in .ts alone.

import svelte from 'eslint-plugin-svelte'
import ts from 'typescript-eslint'

const needComponentTypes = ['argument', 'assignment', 'call', 'member-access', 'return'].map((of) => `@typescript-eslint/no-unsafe-${of}`)
const off = (rules) => Object.fromEntries(rules.map((rule) => [rule, 'off']))

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'public/', '*.js', '*.ts'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['src/**/*.ts', 'src/**/*.svelte'],
    extends: [ts.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname, extraFileExtensions: ['.svelte'] } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': 'off', // tsc's own, which knows what "_" says
    },
  },
  {
    files: ['src/**/*.svelte'],
    extends: [svelte.configs.base],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: {
      ...off(needComponentTypes),
      'prefer-const': ['error', { destructuring: 'all' }], // $props() gives some that a component sets, beside others
      'svelte/infinite-reactive-loop': 'error',
      'svelte/no-at-html-tags': 'error',
      'svelte/no-dom-manipulating': 'error',
      'svelte/no-dupe-else-if-blocks': 'error',
      'svelte/no-dupe-on-directives': 'error',
      'svelte/no-dupe-style-properties': 'error',
      'svelte/no-dupe-use-directives': 'error',
      'svelte/no-object-in-text-mustaches': 'error',
      'svelte/no-store-async': 'error',
      'svelte/require-each-key': 'error',
      'svelte/require-store-reactive-access': 'error',
    },
  },
  { files: ['src/protocol.ts'], rules: off(['@typescript-eslint/no-empty-object-type']) }, // generated: {} is what a Go struct without fields is
  {
    files: ['e2e/**/*.mjs'],
    extends: [ts.configs.base],
    languageOptions: { parserOptions: { project: './e2e/tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['e2e/*.e2e.mjs'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'CallExpression[callee.property.name=/^(locator|\\$|\\$\\$|querySelector|querySelectorAll)$/]', message: 'a flow knows no CSS selectors: say it in an area of e2e/driver' },
        { selector: 'CallExpression[callee.property.name="waitForTimeout"], CallExpression[callee.name="setTimeout"]', message: 'a flow does not sleep: wait for what a user would see' },
      ],
    },
  },
)
