/** The library's public entry: docs/library.md. */
export * from './browser.ts'
