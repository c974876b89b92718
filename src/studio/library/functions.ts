/** What of the library runs in the worker of the page. */
import {
  admit,
  effective,
  explain,
  formatEffective,
  formatSimulation,
  formatStatus,
  lint,
  render,
  simulate,
  status,
} from '../../browser.ts'
import { simulateFile } from './log-file.ts'

/** Its functions by name. */
export const FUNCTIONS = {
  admit,
  effective,
  explain,
  formatEffective,
  formatSimulation,
  formatStatus,
  lint,
  render,
  simulate,
  simulateFile,
  status,
} as const

export type Functions = typeof FUNCTIONS

/** A call, to the worker. */
export type Asked = { readonly id: number; readonly name: keyof Functions; readonly given: readonly unknown[] }

/** What came of it, from the worker. */
export type Answered = { readonly id: number; readonly value: unknown }
