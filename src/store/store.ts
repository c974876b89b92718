/**
 * What the management API keeps: one interface for every database. Reads see what is committed. Changes are plain data, each
 * with what it expects to find, so that a database with many clients can apply them in one transaction, too.
 */
import type { Json, JsonObject } from '../json/member.ts'

/** A group of proxies, with an environment `default` at least. */
export type Workspace = {
  readonly name: string
  /** True where every change of a proxy must say which version it changes (`If-Match`). */
  readonly requireIfMatch: boolean
  /** Grows with each change; 1 for a new one. */
  readonly revision: number
}

/** Where proxies of a workspace run. */
export type Environment = {
  readonly workspace: string
  readonly name: string
  /** Names of the gateways that serve it. */
  readonly gateways: readonly string[]
  /** Global policies: they apply to every proxy of the environment. */
  readonly policies: JsonObject
  readonly revision: number
}

/** A hostname that belongs to a workspace, or of which it may use some paths. */
export type HostnameClaim = {
  /** In lower case; `*.shop.example` for all names below. */
  readonly hostname: string
  readonly workspace: string
  /** Undefined: it belongs to the workspace. Else the paths that it may use where it belongs to another one. */
  readonly pathPrefixes: readonly string[] | undefined
  /** True for the word of an administrator. Else it came with the first proxy, and goes with the last. */
  readonly isAssigned: boolean
}

/** To whom a hostname belongs. */
export type HostnameOwner = Pick<HostnameClaim, 'hostname'> & { readonly workspace: string | undefined }

/** What tells proxies of one workspace apart. */
export type ProxyIdentity = {
  readonly workspace: string
  readonly name: string
  /** Empty where the proxy names none. */
  readonly hostname: string
  readonly version: string
}

/** What came of the deployment of a proxy. */
export type ProxyState = {
  readonly state: 'CONFIGURING' | 'SUCCESS' | 'FAILED'
  /** One word in CamelCase; empty for SUCCESS. */
  readonly reason: string
  /** For people; empty for SUCCESS. */
  readonly message: string
}

/** A stored proxy. */
export type StoredProxy = ProxyIdentity &
  ProxyState & {
    /** Unique among all proxies, also those that were deleted. Never from user text. */
    readonly id: string
    readonly environment: string
    /** Hostnames with paths, which no two proxies share; none where it takes no requests. */
    readonly addresses: readonly string[]
    readonly revision: number
    readonly body: JsonObject
  }

/** What was done to a proxy. */
export type HistoryAction = 'created' | 'changed' | 'deleted' | 'restored'

/** One change of a proxy. */
export type HistoryEntry = ProxyIdentity & {
  /** The `id` of the proxy. */
  readonly proxy: string
  /** The revision that the change made; a deletion makes one, too. */
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** Name of the user. */
  readonly by: string
  readonly action: HistoryAction
  /** The revision whose body was restored. */
  readonly restoredFrom: number | undefined
  /** The body after the change; undefined for a deletion. */
  readonly body: JsonObject | undefined
}

/** One change of an environment. */
export type EnvironmentEntry = Pick<Environment, 'workspace' | 'name' | 'revision'> &
  Pick<HistoryEntry, 'at' | 'by' | 'action' | 'restoredFrom'> & {
    /** Its `gateways` and `policies` after the change; undefined for a deletion. */
    readonly body: JsonObject | undefined
  }

/** Something that happened, for those who watch. */
export type StoredEvent = {
  /** Grows; gaps are possible. */
  readonly id: number
  readonly at: number
  /** Such as `proxy.changed`. */
  readonly type: string
  readonly workspace: string
  readonly data: JsonObject
}

/** The response to a request with an `Idempotency-Key`. */
export type Remembered = {
  /** Who sent which key to which path. */
  readonly key: string
  /** A hash of the request's body. */
  readonly fingerprint: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly status: number
  readonly headers: JsonObject
  readonly body: string
}

/** Somebody who may use the API with a password. */
export type User = {
  /** Letters, digits and `._-`; behind `oidc:` the name that a provider gives. */
  readonly name: string
  /** Such as `reader`, `editor:team`. */
  readonly roles: readonly string[]
  /** Empty for who signs in at a provider. */
  readonly passwordHash: string
  /** True where the user may do nothing before the password is changed. */
  readonly mustChangePassword: boolean
  readonly revision: number
}

/** What a program uses the API with. */
export type MachineToken = {
  /** Letters, digits and `._-`. */
  readonly name: string
  /** Of its secret, which is not kept. */
  readonly hash: string
  readonly roles: readonly string[]
  /** The user who made it. */
  readonly createdBy: string
  /** Milliseconds since 1970, like all times here. */
  readonly createdAt: number
  readonly expires: number
  /** About when; undefined: never. */
  readonly lastUsed: number | undefined
}

/** Who makes the changes of a commit: they are written into the audit log then. */
export type Author = {
  /** Name of the user; where a token was used, of the user who made it. */
  readonly by: string
  readonly token?: string | undefined
  /** The id of the request. */
  readonly request: string
  readonly at: number
}

/** What entries of the audit log are about. */
export const AUDITED = [
  'workspace',
  'environment',
  'proxy',
  'hostnames',
  'backends',
  'user',
  'token',
  'sign-ins',
] as const

/** What was changed: names that do not apply are empty. */
export type AuditSubject = {
  readonly kind: (typeof AUDITED)[number]
  readonly workspace: string
  readonly name: string
}

/** An entry of the audit log. */
export type AuditEntry = Author &
  AuditSubject & {
    /** Grows; gaps are possible. */
    readonly id: number
    /** Such as `created`. */
    readonly action: string
    /** Undefined where there was or is nothing. */
    readonly before: Json | undefined
    readonly after: Json | undefined
  }

/** Which entries; undefined members match all. */
export type AuditQuery = {
  readonly kind?: string | undefined
  readonly workspace?: string | undefined
  readonly name?: string | undefined
  readonly by?: string | undefined
  readonly token?: string | undefined
}

/** Sign-ins that were refused in a time. */
export type RefusedSignIns = {
  readonly at: number
  /** How many, by what was refused. */
  readonly counts: Readonly<Record<string, number>>
  /** From where, as far as they are kept. */
  readonly addresses: readonly string[]
}

/** The role that there must always be a user with. */
export const ADMINISTRATOR = 'administrator'

/**
 * One change. `expected` is the revision that is replaced, undefined where there must be none. A change whose expectation
 * does not hold throws {@link StoreConflict}, and nothing of its commit is applied.
 */
export type Change =
  | { readonly put: 'workspace'; readonly value: Workspace; readonly expected: number | undefined }
  | { readonly put: 'environment'; readonly value: Environment; readonly expected: number | undefined }
  | { readonly put: 'proxy'; readonly value: StoredProxy; readonly expected: number | undefined }
  /** The state of a proxy, where it still has this revision; without effect where it has another one. */
  | { readonly put: 'state'; readonly id: string; readonly expected: number; readonly value: ProxyState }
  | { readonly put: 'history'; readonly value: HistoryEntry }
  | { readonly put: 'environment-history'; readonly value: EnvironmentEntry }
  /** Throws `owner` where the hostname belongs to another workspace. An assigned claim replaces one that is not. */
  | { readonly claim: HostnameClaim }
  /** Without effect where there is no such claim; `ifUnused`: also where it is assigned, or a proxy has the hostname. */
  | { readonly unclaim: string; readonly workspace: string; readonly ifUnused: boolean }
  /** The backends that editors of a workspace may use. */
  | { readonly allow: readonly string[]; readonly workspace: string }
  /** Throws `owner` where one of the hostnames belongs to another workspace than it says, or to none. */
  | { readonly owners: readonly HostnameOwner[] }
  | { readonly put: 'event'; readonly value: Omit<StoredEvent, 'id'> }
  | { readonly put: 'remembered'; readonly value: Remembered }
  /** Forgets what was remembered until this moment. */
  | { readonly forget: 'remembered'; readonly until: number }
  /** Its environments go with it; proxies must be gone. */
  | { readonly remove: 'workspace'; readonly name: string; readonly expected: number }
  | {
      readonly remove: 'environment'
      readonly workspace: string
      readonly name: string
      readonly expected: number
    }
  | { readonly remove: 'proxy'; readonly id: string; readonly expected: number }
  /** Throws `last-administrator` where no user with a password and the role {@link ADMINISTRATOR} would be left. */
  | { readonly put: 'user'; readonly value: User; readonly expected: number | undefined }
  | { readonly remove: 'user'; readonly name: string; readonly expected: number }
  | { readonly put: 'token'; readonly value: MachineToken }
  /** Revokes it: that it was there is kept until it would have expired. */
  | { readonly remove: 'token'; readonly name: string; readonly hash: string; readonly at: number }
  /** The token with this hash was used; without effect where it is gone. */
  | { readonly used: string; readonly at: number }
  /** Of all changes of the commit. */
  | { readonly author: Author }
  | { readonly put: 'refused-sign-ins'; readonly value: RefusedSignIns }

/** Why a commit was not applied. */
export type Conflict =
  /** Another revision is there, or nothing, or something where nothing should be. */
  | 'revision'
  /** One of the addresses belongs to another proxy. */
  | 'address'
  /** A hostname belongs to another workspace. */
  | 'owner'
  /** It has parts: proxies in a workspace or an environment, tokens of a user. */
  | 'in-use'
  /** The workspace or the environment does not exist. */
  | 'missing-parent'
  /** The key is remembered already. */
  | 'remembered'
  /** No administrator would be left. */
  | 'last-administrator'

/** An expectation of a commit did not hold. */
export class StoreConflict extends Error {
  readonly conflict: Conflict
  constructor(conflict: Conflict) {
    super(`not committed: ${conflict}`)
    this.name = 'StoreConflict'
    this.conflict = conflict
  }
}

/** The database cannot write now: the disk is full, or reports errors. Nothing of the commit is applied. */
export class StoreUnavailable extends Error {
  readonly isFull: boolean
  constructor(isFull: boolean, options?: ErrorOptions) {
    super(isFull ? 'no space is left for the store' : 'the store cannot be written', options)
    this.name = 'StoreUnavailable'
    this.isFull = isFull
  }
}

/** Which rows of a list: after a key or after a number of rows. */
export type Slice<Key> = { readonly limit: number } & ({ readonly after: Key } | { readonly skip: number })

/** Which rows of a list are wanted, and in which order of their names. */
export type NameList = {
  /** With `*` for any characters, and then in any case; else exactly. */
  readonly name?: string | undefined
  readonly isDescending?: boolean
}

/** The columns by which proxies can be listed, each with what tells those apart that are alike there. */
export const PROXY_ORDERS = {
  name: ['name', 'hostname', 'version'],
  hostname: ['hostname', 'name', 'version'],
  version: ['version', 'name', 'hostname'],
  environment: ['environment', 'name', 'hostname', 'version'],
  state: ['state', 'name', 'hostname', 'version'],
} as const

/** Which proxies of a workspace are listed: undefined members match all. */
export type ProxyFilter = Pick<NameList, 'name'> & {
  /** As `name`; empty: those without one. */
  readonly hostname?: string | undefined
  readonly version?: string | undefined
  readonly environment?: string | undefined
  readonly state?: ProxyState['state'] | undefined
  /** The environments with a gateway. In others, and without an address, the state of a proxy is CONFIGURING. */
  readonly served: readonly string[]
}

/** Such proxies in an order; default: that of their names. */
export type ProxyList = ProxyFilter & { readonly by: keyof typeof PROXY_ORDERS; readonly isDescending: boolean }

/** Where one is in the list of proxies: the values of the columns of its order. */
export type ProxyPosition = Pick<ProxyIdentity, 'name' | 'hostname' | 'version'> &
  Partial<Pick<StoredProxy, 'environment' | 'state'>>

/** Which proxies of a workspace have a name; undefined members match all. */
export type ProxyQuery = {
  readonly workspace: string
  readonly name: string
  readonly hostname?: string | undefined
  readonly version?: string | undefined
}

/** The events that are kept. */
export type EventReader = {
  /** Those after an id, the oldest first. */
  events(after: number, limit: number): Promise<readonly StoredEvent[]>
  /** The ids of the oldest and the newest event that are kept; both 0 where there are none. */
  eventRange(): Promise<{ readonly oldest: number; readonly newest: number }>
}

/** Finds a user. */
export type UserReader = { user(name: string): Promise<User | undefined> }

/** Lists users. */
export type UserLister = {
  /** In the order of their names. */
  users(slice: Slice<string>, list?: NameList): Promise<readonly User[]>
}

/** Finds tokens. */
export type TokenReader = {
  /** Tells this store apart from others: it is in each token. */
  serverId(): Promise<string>
  token(name: string): Promise<MachineToken | undefined>
  tokenByHash(hash: string): Promise<MachineToken | undefined>
  /** True where it was revoked, and would not have expired for long. */
  isRevoked(hash: string): Promise<boolean>
  /** In the order of their names; of one maker or of all. */
  tokens(slice: Slice<string>, list?: NameList, maker?: string): Promise<readonly MachineToken[]>
  /** How many there are of this maker, or of all. */
  tokenTotal(list: NameList, maker?: string): Promise<number>
}

/** All that the management API keeps. */
export type Store = EventReader &
  UserReader &
  UserLister &
  TokenReader & {
    /** The newest first; the key of a slice is an id. */
    audit(query: AuditQuery, slice: Slice<number>): Promise<readonly AuditEntry[]>
    auditCount(query: AuditQuery): Promise<number>
    workspace(name: string): Promise<Workspace | undefined>
    /** In the order of their names. */
    workspaces(slice: Slice<string>, list?: NameList): Promise<readonly Workspace[]>
    workspaceTotal(list: NameList): Promise<number>
    userTotal(list: NameList): Promise<number>
    environment(workspace: string, name: string): Promise<Environment | undefined>
    environments(workspace: string): Promise<readonly Environment[]>
    allEnvironments(): Promise<readonly Environment[]>
    environmentHistoryTotal(environment: Pick<Environment, 'workspace' | 'name'>): Promise<number>
    /** The newest first, also of an environment that was deleted; `before` is a revision. */
    environmentHistory(
      environment: Pick<Environment, 'workspace' | 'name'>,
      range: { readonly before?: number | undefined; readonly limit: number },
    ): Promise<readonly EnvironmentEntry[]>
    /** Those of one environment, in the order of their ids; `after` is an id. */
    proxiesIn(
      environment: Pick<Environment, 'workspace' | 'name'>,
      range: { readonly after: string; readonly limit: number },
    ): Promise<readonly StoredProxy[]>
    /** At most a few: those of one name. */
    proxiesNamed(query: ProxyQuery): Promise<readonly StoredProxy[]>
    /** In the order of name, hostname and version, where the list says no other. */
    proxies(workspace: string, slice: Slice<ProxyPosition>, list?: ProxyList): Promise<readonly StoredProxy[]>
    proxyTotal(workspace: string, filter: ProxyFilter): Promise<number>
    /** All proxies of a workspace or of all, by id and revision, with a few other members, but without bodies. */
    proxyHeads(workspace?: string): Promise<readonly ProxyHead[]>
    proxyById(id: string): Promise<StoredProxy | undefined>
    /** How many proxies have each state. */
    proxyCounts(): Promise<Readonly<Record<ProxyState['state'], number>>>
    /** What is where a proxy is to be. */
    occupantsOf(identity: ProxyIdentity, addresses: readonly string[], except: string): Promise<Occupants>
    /** The backends that its editors may use; undefined where nothing is said. */
    allowedBackends(workspace: string): Promise<readonly string[] | undefined>
    /** The claims on some hostnames, of all workspaces. */
    claimsOn(hostnames: readonly string[]): Promise<readonly HostnameClaim[]>
    /** Those of a workspace, in the order of their hostnames. */
    claimsOf(workspace: string): Promise<readonly HostnameClaim[]>
    /** Those that administrators have given to workspaces, without the wildcard of all. */
    assignedHostnames(): Promise<readonly string[]>
    /** The proxies that have one of some hostnames; the empty one is that of proxies which name none. */
    proxiesOn(hostnames: readonly string[]): Promise<readonly PlacedProxy[]>
    /** True where a proxy of another workspace has one of them. */
    hasForeignProxy(hostnames: readonly string[], workspace: string): Promise<boolean>
    /** The ids of all proxies that ever matched, the newest first. */
    historicIds(query: ProxyQuery): Promise<readonly string[]>
    /** The newest first; `before` is a revision. */
    history(
      proxy: string,
      range: { readonly before?: number | undefined; readonly limit: number },
    ): Promise<readonly HistoryEntry[]>
    historyTotal(proxy: string): Promise<number>
    historyAt(proxy: string, revision: number): Promise<HistoryEntry | undefined>
    remembered(key: string): Promise<Remembered | undefined>
    /**
     * Applies all changes, or none. Resolves when they are on the disk. Throws {@link StoreConflict} and
     * {@link StoreUnavailable}.
     */
    commit(changes: readonly Change[]): Promise<void>
    /** Waits for the commits under way, and closes the database. */
    close(): Promise<void>
  }

/** A proxy without its body. */
export type ProxyHead = ProxyIdentity & Pick<StoredProxy, 'id' | 'environment' | 'revision'>

/** What is where a proxy is to be: ids of other proxies, and whether there was ever one. */
export type Occupants = {
  /** The proxy of this identity. */
  readonly same: string | undefined
  /** A proxy, other than the one excepted, that has one of the addresses. */
  readonly holder: string | undefined
  /** True where the history knows this identity. */
  readonly isHistoric: boolean
}

/** A proxy and where it answers. */
export type PlacedProxy = ProxyIdentity & Pick<StoredProxy, 'id' | 'addresses'>
