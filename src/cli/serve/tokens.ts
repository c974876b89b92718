/** `--jwks`, `--jwt-issuer` and `--jwt-audience`: whose tokens are accepted. */
import { resolve } from 'node:path'
import { readSmallText } from '../../disk/read-regular-file.ts'
import type { Log } from '../../http/log.ts'
import { watchFiles } from '../../http/watched-files.ts'
import type { TokenCheck } from '../../servers/api-management/access/access.ts'
import { createTokenCheck, readKeys, remoteKeys, type TokenKeys } from '../../servers/api-management/access/tokens.ts'
import { describeFileError } from '../../text/system-error.ts'
import type { Args } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'
import { isLoopback } from './flags.ts'

/** The check of tokens while the server runs; without a check where it takes none. */
export type OpenTokens = { readonly check: TokenCheck | undefined; stop(): void }

/** The flags of tokens. */
export type TokenFlag = 'jwks' | 'jwt-issuer' | 'jwt-audience'

/** Reads the flags, and the file of the keys. Throws {@link InputError}. */
export function openTokens(io: Io, args: Args<TokenFlag>, log: Log): OpenTokens {
  const from = args.value('jwks')
  const [issuer, audience] = [args.value('jwt-issuer'), args.value('jwt-audience')]
  if (from === undefined) return { check: undefined, stop: () => {} }
  if (issuer === undefined || audience === undefined)
    throw new InputError(
      '--jwks needs --jwt-issuer and --jwt-audience: tokens that are meant for others must not be accepted',
    )
  const url = /^https?:\/\//i.test(from) ? readUrl(from) : undefined
  const { keys, stop } = url
    ? { keys: remoteKeys(url, { now: () => io.now(), onProblem: problemOf(url.href, log) }), stop: () => {} }
    : fileKeys(resolve(io.cwd, from), log)
  return { check: createTokenCheck({ keys, issuer, audience, wallClock: Date.now }), stop }
}

function readUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url) throw new InputError(`--jwks "${text}" is not a URL`)
  if (url.protocol === 'https:' || isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) return url
  throw new InputError(`--jwks must be a file, or a URL with https: whoever changes the keys can be anybody`)
}

const problemOf = (from: string, log: Log) => (error: unknown) => {
  const cause = error instanceof Error ? error.cause : undefined
  log.warn({ from, error, cause }, 'the keys of tokens cannot be read; those in use stay in use')
}

/** Keys of a file, which is read again when it changes. */
function fileKeys(path: string, log: Log): { readonly keys: TokenKeys; stop(): void } {
  const text = opened(path, readSmallText)
  let keys = opened(path, () => readKeys(text))
  const onProblem = problemOf(path, log)
  const onChange = ([next = '']: readonly string[]) => {
    try {
      keys = readKeys(next)
      log.info({ path }, 'new keys of tokens are in use')
    } catch (error) {
      onProblem(error)
    }
  }
  const stop = watchFiles({ paths: [path], onChange, onProblem }, [text])
  return { keys: (header, token) => keys(header, token), stop }
}

function opened<Value>(path: string, read: (path: string) => Value): Value {
  try {
    return read(path)
  } catch (error) {
    throw new InputError(`--jwks ${path}: ${describeFileError(error)}`)
  }
}
