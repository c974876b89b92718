/** `--client-ca`: who may send reviews. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkClientAuthority } from '../../http/authority.ts'
import type { Serving } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { watchFiles } from '../../http/watched-files.ts'
import { describeFileError, systemErrorCode } from '../../text/system-error.ts'
import type { Args } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'

/** Who may send reviews, while the server runs. */
export type ClientAuthority = {
  /** The authorities (PEM); undefined where anyone may. */
  readonly ca: string | undefined
  /** For the log. */
  readonly description: string
  /** Gives every later version of the file to the server. */
  follow(serving: Pick<Serving, 'useClientAuthority'>): void
  stop(): void
}

const OPEN: ClientAuthority = {
  ca: undefined,
  description: 'anyone who can connect to the port (see --client-ca)',
  follow: () => {},
  stop: () => {},
}

/** Reads the file of `--client-ca`. Throws {@link InputError}. */
export function openClientAuthority(io: Io, args: Args<'client-ca'>, log: Log): ClientAuthority {
  const named = args.value('client-ca')
  if (named === undefined) return OPEN
  const path = resolve(io.cwd, named)
  const ca = opened(path)
  let stop = () => {}
  return {
    ca,
    description: `only with a certificate of the authorities in ${path}`,
    follow(serving) {
      const onProblem = (error: unknown) =>
        log.warn({ path, error }, 'the new client authorities cannot be used; the old ones stay in use')
      const onChange = ([text = '']: readonly string[]) => {
        serving.useClientAuthority(checkClientAuthority(text))
        log.info({ path }, 'new client authorities are in use')
      }
      stop = watchFiles({ paths: [path], onChange, onProblem }, [ca])
    },
    stop: () => stop(),
  }
}

function opened(path: string): string {
  try {
    return checkClientAuthority(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new InputError(
      systemErrorCode(error) === undefined
        ? `--client-ca ${path}: ${describeFileError(error)}`
        : describeFileError(error),
    )
  }
}
