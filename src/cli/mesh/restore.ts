/** `sluice mesh restore`: takes back that the mesh was cleared, as `sluice mesh remove` does it. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { EXIT, type Io } from '../core/io.ts'
import { type MeshApi, MeshRefusal } from './api.ts'

/** What the user wants. */
type Wishes = { readonly isDryRun: boolean; readonly force: boolean; readonly isJson: boolean }

/** Runs it. Rejects with {@link MeshRefusal} where the mesh was changed since, unless it is forced. */
export async function restoreMesh(io: Io, api: MeshApi, { isDryRun, force, isJson }: Wishes): Promise<number> {
  const query = { undo: 'true', ...(force ? { force: 'true' } : {}), ...(isDryRun ? { dryRun: 'All' } : {}) }
  const done = await api
    .read('clear', { body: '\n', contentType: 'application/octet-stream', query })
    .catch((error: unknown) => {
      if (!(error instanceof MeshRefusal)) throw error
      throw new MeshRefusal(error.message.replaceAll('force=true', '--force'), error.descriptions)
    })
  const { cleared, changes } = isObject(done) ? done : {}
  if (isJson) io.stdout.write(`${JSON.stringify(done, null, 2)}\n`, 'json')
  else
    io.stdout.write(
      restoredText(Array.isArray(changes) ? changes : [], isObject(cleared) ? cleared : undefined, isDryRun),
    )
  return EXIT.clean
}

function restoredText(changes: readonly Json[], cleared: JsonObject | undefined, isDryRun: boolean): string {
  if (changes.length === 0) return 'nothing to restore: the sidecars of the mesh are not transparent\n'
  const since = cleared ? `cleared at ${cleared.at} by ${cleared.by}\n` : ''
  const lines = changes.map((change) =>
    isObject(change) ? `${change.field}: ${JSON.stringify(change.from)} -> ${JSON.stringify(change.to)}\n` : '',
  )
  const left = isDryRun
    ? 'Nothing was changed, as this is a dry run.\n'
    : 'Sidecars do again what the configuration says, once they have read it.\n'
  return `${since}${lines.join('')}${left}`
}
