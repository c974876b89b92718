/** `--oidc-…`: where people may sign in beside their passwords here. */
import { resolve } from 'node:path'
import { readSmallFile, readSmallText } from '../../disk/read-regular-file.ts'
import type { Log } from '../../http/log.ts'
import { JsonError, readStrictJson } from '../../http/strict-json.ts'
import { isObject, type Json } from '../../json/member.ts'
import {
  type ClaimMapping,
  createOidc,
  DEFAULT_MAPPING,
  type SignInProvider,
} from '../../servers/api-management/access/oidc.ts'
import type { Refusals } from '../../servers/api-management/access/refusals.ts'
import { isRole } from '../../servers/api-management/access/roles.ts'
import { describeFileError } from '../../text/system-error.ts'
import type { Args } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'
import { isLoopback } from './flags.ts'

/** The flags of sign-ins at a provider. */
export type OidcFlag =
  | 'oidc-issuer'
  | 'oidc-client-id'
  | 'oidc-client-secret-file'
  | 'oidc-claims'
  | 'oidc-name'
  | 'public-url'

type Context = { readonly log: Log; readonly isEncrypted: boolean; readonly refusals: Pick<Refusals, 'add'> }

/** Reads the flags and their files; undefined where there is no provider. Throws {@link InputError}. */
export function openOidc(io: Io, args: Args<OidcFlag>, { log, ...context }: Context): SignInProvider | undefined {
  const from = args.value('oidc-issuer')
  if (from === undefined) return undefined
  const clientId = args.value('oidc-client-id')
  if (clientId === undefined) throw new InputError('--oidc-issuer needs --oidc-client-id, which the provider has given')
  const issuer = readUrl('oidc-issuer', from)
  const publicUrl = args.value('public-url')
  const secretFile = args.value('oidc-client-secret-file')
  const claims = args.value('oidc-claims')
  const oidc = createOidc({
    ...{ issuer, clientId, now: () => io.now(), wallClock: Date.now },
    clientSecret: secretFile === undefined ? undefined : readSecret(resolve(io.cwd, secretFile)),
    mapping: claims === undefined ? DEFAULT_MAPPING : readMapping(resolve(io.cwd, claims)),
    name: args.value('oidc-name') ?? issuer.host,
    onProblem(error) {
      const cause = error instanceof Error ? error.cause : undefined
      log.warn({ issuer: issuer.href, error, cause }, 'the provider of sign-ins does not answer as it should')
    },
  })
  return {
    ...{ ...oidc, ...context },
    publicUrl: publicUrl === undefined ? undefined : readUrl('public-url', publicUrl).href.replace(/\/$/, ''),
  }
}

function readUrl(flag: 'oidc-issuer' | 'public-url', text: string): URL {
  const url = URL.parse(text)
  const isPlain = url?.search === '' && url.hash === '' && url.username === ''
  if (!url || !isPlain || !/^https?:$/.test(url.protocol))
    throw new InputError(`--${flag} must be a URL such as https://accounts.example.com; got "${text}"`)
  if (url.protocol === 'https:' || isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) return url
  throw new InputError(`--${flag} must begin with https: whoever is in between could sign in as anybody`)
}

function readSecret(path: string): string {
  try {
    const secret = readSmallText(path).replace(/\r?\n$/, '')
    if (secret !== '') return secret
  } catch (error) {
    throw new InputError(`--oidc-client-secret-file ${path}: ${describeFileError(error)}`)
  }
  throw new InputError(`--oidc-client-secret-file ${path}: it is empty`)
}

/** `{"name": "email", "claim": "groups", "roles": {"platform": ["administrator"]}, "scope": "openid email groups"}` */
function readMapping(path: string): ClaimMapping {
  const fault = (what: string) => new InputError(`--oidc-claims ${path}: ${what}`)
  const file = parsed(path)
  if (!isObject(file))
    throw fault('it must be a JSON object such as {"claim": "groups", "roles": {"shop": ["editor:shop"]}}')
  for (const [member, value] of Object.entries(file)) {
    if (!['name', 'claim', 'scope', 'roles'].includes(member)) throw fault(`${member} is not known`)
    if (member !== 'roles' && (typeof value !== 'string' || value === '')) throw fault(`${member} must be a text`)
  }
  const text = (member: 'name' | 'claim' | 'scope'): string => String(file[member] ?? DEFAULT_MAPPING[member])
  if (!text('scope').split(' ').includes('openid')) throw fault('scope must have openid')
  const mapping = { name: text('name'), claim: text('claim'), scope: text('scope') }
  if (file.roles === undefined) return { ...mapping, roles: undefined }
  if (!isObject(file.roles)) throw fault('roles must be an object')
  const roles = Object.entries(file.roles).map(([value, given]) => [
    value,
    rolesIn(given ?? null, (what) => fault(`roles.${value}${what}`)),
  ])
  return { ...mapping, roles: Object.fromEntries(roles) }
}

function parsed(path: string): unknown {
  try {
    return readStrictJson(readSmallFile(path), 'it')
  } catch (error) {
    throw new InputError(
      `--oidc-claims ${path}: ${error instanceof JsonError ? error.message : describeFileError(error)}`,
    )
  }
}

function rolesIn(value: Json, fault: (what: string) => InputError): readonly string[] {
  if (!Array.isArray(value)) throw fault(' must be a list of roles')
  return value.map((role: Json) => {
    if (typeof role === 'string' && isRole(role)) return role
    throw fault(`: ${JSON.stringify(role)} is not a role; there are administrator, reader and editor:WORKSPACE`)
  })
}
