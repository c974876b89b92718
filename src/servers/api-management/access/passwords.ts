/**
 * Passwords: their hashes by scrypt (RFC 7914), written as `$scrypt$ln=15,r=8,p=3$SALT$HASH` (the PHC string format, base64
 * without padding), and what a password must be.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { utf8Length } from '../../../text/utf8.ts'
import { isCommonPassword } from './common-passwords.ts'

/** How expensive a hash is: `2 ** ln` blocks of `128 * r` bytes in memory, `p` times. */
export type Cost = { readonly ln: number; readonly r: number; readonly p: number }

/** 32 MiB, and some tenths of a second on a slow machine. Source: OWASP, "Password Storage Cheat Sheet", scrypt. */
export const DEFAULT_COST: Cost = { ln: 15, r: 8, p: 3 }

const SALT_BYTES = 16
const HASH_BYTES = 32

/** Hashes a password. */
export async function hashPassword(password: string, cost: Cost = DEFAULT_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return written(cost, salt, await derive(password, salt, cost))
}

/** A hash that no password has, and that takes as long to verify as one with this cost. */
export const unmatchedHash = (cost: Cost = DEFAULT_COST): string =>
  written(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))

/** True where a hash is that of a password. Takes equally long for every password. Throws for a hash of another form. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, ln, r, p, salt = '', expected = ''] =
    /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? []
  if (ln === undefined) throw new Error('a stored hash of a password has an unknown form')
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), cost), Buffer.from(expected, 'base64'))
}

function written({ ln, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$scrypt$ln=${ln},r=${r},p=${p}$${saltText}$${hashText}`
}

/** The same letters may be sent in several forms of Unicode (RFC 8265). */
function derive(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** ln
  const options: ScryptOptions = { N, r, p, maxmem: 2 * 128 * N * r }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

const SHORTEST = 12
const LONGEST = 1024

/** What is wrong with a password for a user; undefined where it is accepted. Length: characters of Unicode, and bytes. */
export function passwordProblem(password: string, user: string): string | undefined {
  if ([...password].length < SHORTEST) return `the password must have at least ${SHORTEST} characters`
  if (/[\p{Cc}\p{Cs}]/u.test(password)) return 'the password must not have control characters, or half a surrogate pair'
  if (utf8Length(password) > LONGEST) return `the password must have at most ${LONGEST} bytes`
  if (password.toLowerCase() === user.toLowerCase()) return 'the password must not be the name of the user'
  if (isCommonPassword(password))
    return 'the password must not be one of the most common ones, also with digits or signs around it, or written twice'
  return undefined
}

/** A password that nobody can guess: 144 bits as text. */
export const randomPassword = (): string => randomBytes(18).toString('base64url')
