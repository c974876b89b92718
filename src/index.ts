/** The library: the same results as the command line, for texts and objects at hand. It reads no file and prints nothing. */
export * from './browser.ts'
