/** Files that may change while a server runs: settings, and a certificate with its key. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { readSmallText } from '../disk/read-regular-file.ts'
import type { TlsMaterial } from './listen.ts'

/** Files to poll, and what to call. */
export type WatchedFiles = {
  readonly paths: readonly string[]
  /** Milliseconds between two looks at the files. Default: 1000. */
  readonly every?: number
  /** Gets the texts of all files, in the order of the paths, when one of them has changed. */
  onChange(texts: readonly string[]): void
  /** The files cannot be read any longer. They are read again when they change once more. */
  onProblem(error: unknown): void
}

/**
 * Polls files. Kubernetes updates a mounted folder by replacing a symbolic link, which notifications of the file system
 * miss; `fs.watchFile` follows the link each time. `known` are the texts in use; undefined where they could not be read,
 * which the caller has reported. Returns what ends the watch.
 */
export function watchFiles(
  { paths, every = 1000, onChange, onProblem }: WatchedFiles,
  known: readonly string[] | undefined,
): () => void {
  let latest = known
  const look = () => {
    try {
      const texts = paths.map((path) => readSmallText(path))
      if (texts.every((text, index) => text === latest?.[index])) return
      latest = texts
      onChange(texts)
    } catch (error) {
      if (latest) onProblem(error)
      latest = undefined
    }
  }
  for (const path of paths) watchFile(path, { interval: every, persistent: false }, look)
  // `fs.watchFile` does not see what has changed before.
  look()
  return () => {
    for (const path of paths) unwatchFile(path, look)
  }
}

/** The paths of a certificate chain and its key, as PEM. */
export type TlsFiles = { readonly cert: string; readonly key: string }

/** Reads both. Throws where one cannot be read, or the key is not that of the certificate. */
export function readTlsFiles({ cert, key }: TlsFiles): TlsMaterial {
  return checkTls({ cert: readSmallText(cert), key: readSmallText(key) })
}

/** Returns the material. Throws where a server could not use it. */
function checkTls(material: TlsMaterial): TlsMaterial {
  const certificate = inWords(() => new X509Certificate(material.cert), 'the certificate is not in PEM format')
  const key = inWords(() => createPrivateKey(material.key), 'the key is not in PEM format, or has a passphrase')
  if (!certificate.checkPrivateKey(key)) throw new Error('the key does not belong to the certificate')
  createSecureContext(material)
  if (Number.isNaN(expiryOf(material.cert))) throw new Error('the certificate has no end of validity')
  return material
}

/** What a function makes; where it throws, an error in words instead of those of OpenSSL. */
function inWords<Made extends X509Certificate | KeyObject>(make: () => Made, words: string): Made {
  try {
    return make()
  } catch (error) {
    throw new Error(words, { cause: error })
  }
}

/** When the first certificate of a chain expires, in milliseconds since 1970. */
export const expiryOf = (cert: string): number => Date.parse(new X509Certificate(cert).validTo)

/** A certificate to poll, and what to call. */
export type TlsFilesWatch = {
  readonly files: TlsFiles
  /** Milliseconds between two looks at the files. Default: 1000. */
  readonly every?: number
  onChange(material: TlsMaterial): void
  /** The new files cannot be used, and the old ones stay in use. It is so while only one of the two has been replaced. */
  onProblem(error: unknown): void
}

/** Polls the files of a certificate. Returns what ends the watch. */
export function watchTlsFiles(
  { files, every = 1000, onChange, onProblem }: TlsFilesWatch,
  current: TlsMaterial,
): () => void {
  const use = ([cert = '', key = '']: readonly string[]) => {
    try {
      onChange(checkTls({ cert, key }))
    } catch (error) {
      onProblem(error)
    }
  }
  return watchFiles({ paths: [files.cert, files.key], every, onChange: use, onProblem }, [current.cert, current.key])
}
