/** The audit log as administrators read it. */
import { withoutHashes } from '../../api-management/keys.ts'
import { isObject, type Json } from '../../json/member.ts'
import type { AuditEntry } from '../../store/store.ts'
import { pageOf, readPage, textIn } from './call.ts'
import type { HandlerOptions, Planners } from './planner.ts'

/** Plans its operation. */
export function createAudit({ store }: HandlerOptions) {
  return {
    async readAudit(call) {
      const page = readPage(call, 1)
      const [token] = page.token ?? []
      const wanted = {
        ...{ kind: textIn(call, 'kind'), workspace: textIn(call, 'workspace'), name: textIn(call, 'name') },
        ...{ by: textIn(call, 'by'), token: textIn(call, 'token') },
      }
      const slice = token === undefined ? { skip: page.skip } : { after: Number(token) || 0 }
      const rows = await store.audit(wanted, { ...slice, limit: page.size + 1 })
      const total = await store.auditCount(wanted)
      return { reply: pageOf(rows, { ...page, total }, { show: shown, key: ({ id }) => [String(id)] }) }
    },
  } satisfies Planners
}

const shown = ({ id, at, by, token, request, kind, workspace, name, action, before, after }: AuditEntry) => ({
  ...{ id, at: new Date(at).toISOString(), by, ...(token === undefined ? {} : { token }), request, kind },
  ...(workspace === '' ? {} : { workspace }),
  ...(name === '' ? {} : { name }),
  action,
  ...(before === undefined ? {} : { before: withoutSecrets(before) }),
  ...(after === undefined ? {} : { after: withoutSecrets(after) }),
})

/** Bodies and global policies have what is kept of keys. */
const withoutSecrets = (value: Json): Json => (isObject(value) ? withoutHashes(value) : value)
