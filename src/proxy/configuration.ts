/** What a caller wants nginx to run: a configuration in parts. */
import { compareText } from '../text/order.ts'

/**
 * Each part's form, by the name of the part. A form is any text from which the caller can make the configuration: a
 * manifest, or the file itself. The driver compares forms, keeps them, and gives them back to `compose`.
 */
export type Forms = ReadonlyMap<string, string>

/** A file of the configuration. */
export type ConfigurationFile = {
  /** Relative to `nginx.conf`, with forward slashes: `policies/shop_coffee.conf`. */
  readonly name: string
  readonly text: string
  /** The one part that all of its text comes from. nginx names files and lines, which then lead to the part. */
  readonly part?: string
}

/** A configuration to put into force. */
export type Wanted = {
  readonly forms: Forms
  /**
   * Makes the whole configuration of any forms, also of fewer than the wanted ones, and of older forms. It must be a
   * function of the forms alone. One file is `nginx.conf`, with `pid nginx.pid;` and `error_log error.log notice;` (or
   * `info`); files that nginx writes are relative to the folder of the driver, which is nginx's prefix.
   */
  compose(forms: Forms): readonly ConfigurationFile[]
  /** Parts that nginx will probably refuse. They are tried last, so that the others need fewer attempts. */
  readonly suspects?: ReadonlySet<string>
  /** All or nothing: where nginx refuses anything, the old configuration stays as it was. */
  readonly whole?: boolean
}

/** The file that nginx is started with. */
export const MAIN_FILE = 'nginx.conf'

const FILE_NAME = /^(?!\.)[\w.@~+-]+(?:\/(?!\.)[\w.@~+-]+)*$/
const PID = /^[ \t]*pid[ \t]+nginx\.pid;/m
const ERROR_LOG = /^[ \t]*error_log[ \t]+error\.log[ \t]+(?:notice|info|debug);/m

/** The files of some forms. Throws where `compose` breaks its contract: that is a fault of the caller. */
export function composeFiles({ compose }: Wanted, forms: Forms): readonly ConfigurationFile[] {
  const files = compose(new Map([...forms].sort(([left], [right]) => compareText(left, right))))
  const names = new Set(files.map(({ name }) => name))
  const bad = files.find(({ name }) => !FILE_NAME.test(name))
  if (bad) throw new Error(`"${bad.name}" cannot be the name of a file of the configuration`)
  if (names.size < files.length) throw new Error('two files of the configuration have the same name')
  const mainHas = (directive: RegExp) => files.some(({ name, text }) => name === MAIN_FILE && directive.test(text))
  if (!mainHas(PID)) throw new Error(`${MAIN_FILE} needs "pid nginx.pid;"`)
  if (!mainHas(ERROR_LOG)) throw new Error(`${MAIN_FILE} needs "error_log error.log notice;"`)
  return files
}

/** The parts whose form differs, one of which may be missing; sorted. */
export function changedParts(old: Forms, next: Forms): readonly string[] {
  const names = new Set([...old.keys(), ...next.keys()])
  return [...names].filter((name) => old.get(name) !== next.get(name)).sort(compareText)
}

/** `base` with some parts as they are in `next`: changed, added, or removed. */
export function withParts(base: Forms, next: Forms, parts: Iterable<string>): Forms {
  const forms = new Map(base)
  for (const part of parts) {
    const form = next.get(part)
    if (form === undefined) forms.delete(part)
    else forms.set(part, form)
  }
  return forms
}
