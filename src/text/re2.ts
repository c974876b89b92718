/** The engine of regular expressions in linear time. The build makes a file of its own of it, which few runs load. */
import { RE2JS } from 're2js'

/** Compiles an expression in the language of RE2. Throws for one that it does not know. */
export const compileRe2 = (written: string): RE2JS => RE2JS.compile(written)
