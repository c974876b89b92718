/** A certificate and its key in files, as cert-manager writes and renews them. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { TlsMaterial } from './listen.ts'
import { watchFiles } from './watch-files.ts'

/** Where they are. */
export type TlsFiles = { readonly cert: string; readonly key: string }

/** Reads both. Throws where one cannot be read, or the key is not that of the certificate. */
export function readTlsFiles({ cert, key }: TlsFiles): TlsMaterial {
  return checked({ cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') })
}

/** The material, where a server could serve with it; throws otherwise. */
function checked(material: TlsMaterial): TlsMaterial {
  createSecureContext(material)
  if (Number.isNaN(expiryOf(material.cert))) throw new Error('the certificate has no end')
  return material
}

/** When the first certificate of a chain ends, in milliseconds since 1970. */
export const expiryOf = (cert: string): number => Date.parse(new X509Certificate(cert).validTo)

export type TlsFilesWatch = {
  readonly files: TlsFiles
  readonly every?: number
  onChange(material: TlsMaterial): void
  /** Hears why new files do not do; the old ones stay in use. While only one of the two is new, that is so. */
  onProblem(error: unknown): void
}

/** Looks for new files. Answers what ends the watch. */
export function watchTlsFiles({ files, every = 1000, onChange, onProblem }: TlsFilesWatch, now: TlsMaterial) {
  const use = ([cert = '', key = '']: readonly string[]) => {
    try {
      onChange(checked({ cert, key }))
    } catch (error) {
      onProblem(error)
    }
  }
  return watchFiles({ paths: [files.cert, files.key], every, onChange: use, onProblem }, [now.cert, now.key])
}
