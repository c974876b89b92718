/** The schema of the SQLite file, step by step. A step that was released is never changed: a change is another step. */

/** SQL of each step; the number of steps that a file has had is its `user_version`. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE workspaces (
    name TEXT PRIMARY KEY,
    require_if_match INTEGER NOT NULL,
    revision INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE environments (
    workspace TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name TEXT NOT NULL,
    gateways TEXT NOT NULL, -- JSON
    policies TEXT NOT NULL, -- JSON
    revision INTEGER NOT NULL,
    PRIMARY KEY (workspace, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE proxies (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    hostname TEXT NOT NULL,
    version TEXT NOT NULL,
    environment TEXT NOT NULL,
    addresses TEXT NOT NULL, -- JSON
    revision INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    message TEXT NOT NULL,
    body TEXT NOT NULL, -- JSON
    UNIQUE (workspace, name, hostname, version),
    FOREIGN KEY (workspace, environment) REFERENCES environments ON DELETE RESTRICT
  ) STRICT;
  CREATE INDEX proxies_by_environment ON proxies (workspace, environment);

  CREATE TABLE addresses (
    address TEXT PRIMARY KEY,
    proxy TEXT NOT NULL REFERENCES proxies (id) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX addresses_by_proxy ON addresses (proxy);

  CREATE TABLE history (
    proxy TEXT NOT NULL,
    revision INTEGER NOT NULL,
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    hostname TEXT NOT NULL,
    version TEXT NOT NULL,
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    action TEXT NOT NULL,
    restored_from INTEGER,
    body TEXT, -- JSON
    PRIMARY KEY (proxy, revision)
  ) STRICT;
  CREATE INDEX history_by_identity ON history (workspace, name, hostname, version);

  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    workspace TEXT NOT NULL,
    data TEXT NOT NULL -- JSON
  ) STRICT;

  CREATE TABLE remembered (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER NOT NULL,
    headers TEXT NOT NULL, -- JSON
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX remembered_by_time ON remembered (at);

  CREATE TABLE users (
    name TEXT PRIMARY KEY,
    roles TEXT NOT NULL, -- JSON
    password_hash TEXT NOT NULL,
    must_change_password INTEGER NOT NULL,
    is_administrator INTEGER NOT NULL,
    revision INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE hostnames (
    hostname TEXT NOT NULL,
    workspace TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    path_prefixes TEXT, -- JSON; NULL: the hostname belongs to the workspace
    is_assigned INTEGER NOT NULL,
    PRIMARY KEY (hostname, workspace)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX owners ON hostnames (hostname) WHERE path_prefixes IS NULL;
  CREATE INDEX hostnames_by_workspace ON hostnames (workspace);
  CREATE TABLE allowed_backends (
    workspace TEXT PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    entries TEXT NOT NULL -- JSON
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX proxies_by_hostname ON proxies (hostname, workspace);

  -- A hostname belongs to whose proxy was first.
  INSERT INTO hostnames
    SELECT hostname, workspace, NULL, 0 FROM
      (SELECT hostname, workspace, min(number) FROM proxies WHERE hostname <> '' GROUP BY hostname);
  `,
  // What a body means is known to who opens the file.
  `
  UPDATE proxies SET body = hidden_keys(body, id) WHERE body LIKE '%apiKey%';
  UPDATE history SET body = hidden_keys(body, proxy) WHERE body LIKE '%apiKey%';
  UPDATE environments
    SET policies = json_extract(hidden_keys(json_object('policies', json(policies)), workspace || '/' || name), '$.policies')
    WHERE policies LIKE '%apiKey%';
  UPDATE remembered SET body = hidden_keys(body, NULL) WHERE body LIKE '%apiKey%';
  `,
  `
  CREATE TABLE environment_history (
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    action TEXT NOT NULL,
    restored_from INTEGER,
    body TEXT, -- JSON
    PRIMARY KEY (workspace, name, revision)
  ) STRICT, WITHOUT ROWID;

  -- How they are now, so that there is a way back to it; nobody knows who made them so.
  INSERT INTO environment_history
    SELECT workspace, name, revision, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), '(upgrade)',
      CASE revision WHEN 1 THEN 'created' ELSE 'changed' END, NULL,
      json_object('gateways', json(gateways), 'policies', json(policies))
    FROM environments;
  `,
  // All that lists of proxies are filtered and sorted by: a row with its body is read only for what is shown.
  `
  ALTER TABLE proxies ADD COLUMN is_addressed INTEGER GENERATED ALWAYS AS (addresses <> '[]') VIRTUAL;
  CREATE INDEX proxies_listed ON proxies (workspace, hostname, name, version, environment, state, is_addressed);
  `,
  `
  CREATE TABLE tokens (
    name TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    roles TEXT NOT NULL, -- JSON
    created_by TEXT NOT NULL REFERENCES users ON DELETE RESTRICT,
    created_at INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    last_used INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tokens_by_maker ON tokens (created_by, name);
  CREATE TABLE revoked_tokens (
    hash TEXT PRIMARY KEY,
    expires INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE server (id TEXT NOT NULL) STRICT;
  INSERT INTO server VALUES (lower(hex(randomblob(4))));

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    token TEXT,
    request TEXT NOT NULL,
    kind TEXT NOT NULL,
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    action TEXT NOT NULL,
    before TEXT, -- JSON
    after TEXT, -- JSON
    proxy TEXT, -- of which the history has what was before and after
    revision INTEGER
  ) STRICT;
  `,
]
