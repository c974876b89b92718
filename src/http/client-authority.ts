/** The authorities whose certificates clients must have. */
import { X509Certificate } from 'node:crypto'
import { pemBlocks } from './authority.ts'

/** Returns a PEM text. Throws where it has no certificate, or one that may not sign others. */
export function checkClientAuthority(text: string): string {
  const blocks = pemBlocks(text)
  if (blocks.length === 0) throw new Error('there is no certificate in PEM format')
  for (const block of blocks) if (!maySign(block)) throw new Error('a certificate in it is not one of an authority')
  return text
}

function maySign(block: string): boolean {
  try {
    return new X509Certificate(block).ca
  } catch (error) {
    throw new Error('a certificate in it is not in PEM format', { cause: error })
  }
}
