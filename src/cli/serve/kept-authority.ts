/** The authority that signs the certificate of a server which has none of its own, kept in a file: who trusts it once does so after a restart. */
import { closeSync, openSync, realpathSync, statSync } from 'node:fs'
import type { KeptAuthorities } from '../../cluster/certificates/certificates.ts'
import { readSmallText } from '../../disk/read-regular-file.ts'
import { commitDraft, writeDraft } from '../../files/write/replace-file.ts'
import { isKeyOf, pemBlocks } from '../../http/authority.ts'
import type { TlsMaterial } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { systemErrorCode } from '../../text/system-error.ts'

/** Whoever can read it can be any server for those who trust it. */
const OWNER_ONLY = 0o600

/** Opens the file, which need not be there yet. What is wrong with it is logged: then another authority is made. */
export function openKeptAuthority(path: string, log: Pick<Log, 'warn'>): KeptAuthorities {
  return {
    authorities: read(path, log),
    keep(authorities) {
      try {
        write(path, authorities.map(({ cert, key }) => `${cert}${key.trimEnd()}\n`).join(''))
      } catch (error) {
        log.warn(
          { path, error },
          'the authority of the certificate cannot be kept: after a restart there is another one',
        )
      }
    },
  }
}

/** Each certificate with its key behind it, the newest first. */
function read(path: string, log: Pick<Log, 'warn'>): readonly TlsMaterial[] {
  try {
    const text = readSmallText(path)
    const blocks = pemBlocks(text)
    const pairs = blocks.flatMap((cert, index) => (index % 2 === 0 ? [{ cert, key: blocks[index + 1] ?? '' }] : []))
    const usable = pairs.filter(({ cert, key }) => isKeyOf(key, cert))
    const isBroken = usable.length < pairs.length || (pairs.length === 0 && text !== '')
    if (isBroken) log.warn({ path }, 'the kept authority cannot be used: there is another one now')
    if ((statSync(path).mode & 0o077) !== 0)
      log.warn({ path }, 'others can read the key of the authority: chmod 600 keeps them out')
    return usable
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT')
      log.warn({ path, error }, 'the kept authority cannot be read: there is another one now')
    return []
  }
}

function write(path: string, text: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
  const target = realpathSync(path)
  commitDraft(writeDraft(target, text, statSync(target)))
}
