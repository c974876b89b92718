/** What plans operations, and what it needs. */
import type { Log } from '../../http/log.ts'
import type { Store } from '../../store/store.ts'
import type { SignInProvider } from './access/oidc.ts'
import type { PasswordCheck } from './access/password-check.ts'
import type { Sessions } from './access/sessions.ts'
import type { Network } from './backends/check.ts'
import type { Call, Plan } from './call.ts'
import type { BodyJudge } from './judge.ts'
import type { PlannedId } from './openapi/operations.ts'
import type { Publication } from './publication.ts'
import type { LiveRequests } from './requests.ts'

/** What operations need. */
export type HandlerOptions = {
  readonly store: Store
  readonly judge: BodyJudge
  readonly passwords: PasswordCheck
  readonly sessions: Sessions
  /** Where people may sign in, too; undefined: nowhere. */
  readonly oidc: SignInProvider | undefined
  readonly log: Log
  readonly publication: Publication
  readonly requests: Pick<LiveRequests, 'of'>
  readonly network: Network
  /** Milliseconds since 1970. */
  wallClock(): number
  /** Called after every commit. */
  onChange(): void
}

/** Plans an operation: reads, and says what to change. It may be called again where another change came first. */
export type Planner = (call: Call) => Promise<Plan>

/** Some of the planners, each of an operation that there is. */
export type Planners = Readonly<Partial<Record<PlannedId, Planner>>>
