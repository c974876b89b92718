/** The certificates in a folder: pairs of NAME.crt and NAME.key. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describeSystemError, type InputProblem } from '../input-problem.ts'

/** The files of a certificate, as absolute paths. */
export type CertificateFiles = { readonly certificate: string; readonly key: string }

/** Finds the pairs in a folder, by NAME; opens none of them. `shown` names the folder in the problem. */
export function findCertificates(folder: string, shown: string): ReadonlyMap<string, CertificateFiles> | InputProblem {
  try {
    const names = new Set(readdirSync(folder))
    const pairs = [...names].flatMap((file): [string, CertificateFiles][] => {
      const name = /^(.+)\.crt$/.exec(file)?.[1]
      if (name === undefined || !names.has(`${name}.key`)) return []
      return [[name, { certificate: join(folder, file), key: join(folder, `${name}.key`) }]]
    })
    return new Map(pairs)
  } catch (error) {
    return { file: shown, reason: describeSystemError(error) }
  }
}
