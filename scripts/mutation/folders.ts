/** The folders whose score docs/benchmarks.md states, each with the unit tests that run against its mutants. */
const LIMITS = [
  'test/{rules,limits,gateway,lint,queries,world}/**/*.test.ts',
  'test/nginx/{bucket,grpc-status,key,memory,parameter,rejections,responses,snippets,variables}.test.ts',
  'test/{fixtures,examples,servers/admission,servers/observe}.test.ts',
]

export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  rules: LIMITS,
  'src/limits': LIMITS,
  'src/nginx': LIMITS,
  'src/gateway': LIMITS,
  'src/api-management': [
    'test/api-management/**/*.test.ts',
    'test/servers/api-management/{archives,proxies,others,events,parity}.test.ts',
    'test/{fixtures,examples,cli/archives*,simulate/archives}.test.ts',
  ],
  'src/mesh': [
    'test/{mesh,servers/mesh}/**/*.test.ts',
    'test/cli/{archives*,mesh}.test.ts',
    'test/{fixtures,examples,library/mesh,servers/mesh-injection}.test.ts',
  ],
  // Most of it is seen only with a real nginx, from PATH.
  'src/proxy': ['test/proxy/**/*.test.ts', 'test/nginx/proxy/{blame,driver,faults,rendered}.test.ts'],
  'src/store': ['test/store/**/*.test.ts', 'test/servers/api-management/{archives,proxies,events}.test.ts'],
  'src/simulate': ['test/simulate/**/*.test.ts', 'test/cli/archives*.test.ts', 'test/library/library.test.ts'],
}

/** The folder with the tests of a path. */
export const folderOf = (path: string): string | undefined =>
  Object.keys(FOLDERS).find((folder) => path === folder || path.startsWith(`${folder}/`))

/** Slow tests that kill hardly a mutant which the others do not, and those of bundles, which have no mutants. */
export const LEFT_OUT = [
  'test/lint/fix.test.ts',
  'test/rules/total.test.ts',
  'test/queries/browser.test.ts',
  'test/simulate/browser.test.ts',
  'test/**/{transcript,*.process,*.nightly}.test.ts',
]
