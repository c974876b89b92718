/**
 * What a snippet of configuration adds to an nginx: variables and modules. Source: nginx, pages of the modules; tests
 * compare with real programs.
 */
import { type Directive, readDirectives } from './directives.ts'

/** What a snippet adds. */
export type SnippetContents = {
  /** Lower-cased names of the variables that it defines, without `$`. */
  readonly variables: readonly string[]
  /** Names of the modules that it loads, without folder and ending: `ngx_http_geoip_module`. */
  readonly modules: readonly string[]
  /** True where it may define variables that cannot be read in it: it includes a file, runs Lua, or loads another module. */
  readonly isOpen: boolean
}

/** Which argument of a directive names the variable that it defines: a position, counted from 1, or the last one. */
const DEFINING: Readonly<Record<string, number | 'last'>> = {
  auth_jwt_claim_set: 1,
  auth_jwt_header_set: 1,
  auth_request_set: 1,
  geo: 'last',
  js_set: 1,
  js_var: 1,
  keyval: 2,
  map: 2,
  num_map: 2,
  perl_set: 1,
  set: 1,
  split_clients: 2,
}

/** Blocks whose lines are no directives, with the blocks of other protocols, whose variables are not those of HTTP. */
const DATA_BLOCKS = new Set(['charset_map', 'geo', 'geoip2', 'map', 'num_map', 'split_clients', 'types'])
const OTHER_PROTOCOLS = new Set(['mail', 'stream'])

/** Files of the distribution, which define no variables. */
const HARMLESS_FILE = /(?:^|\/)(?:mime\.types|fastcgi\.conf|(?:fastcgi|scgi|uwsgi|proxy)_params)$/

/** Modules of nginx and of its packages: their variables are in the table, or they have none. */
const KNOWN_MODULE =
  /^ngx_(?:(?:http|stream|mail)_(?:acme|brotli_filter|brotli_static|geoip|geoip2|headers_more_filter|image_filter|js|perl|xslt_filter)_module|stream_module|mail_module|otel_module)$/

/** Reads a snippet. Never throws. */
export function readSnippet(text: string): SnippetContents {
  const directives = readDirectives(text).filter(({ outermost }) => !OTHER_PROTOCOLS.has(outermost))
  const modules = directives.flatMap(loadedModule)
  const isOpen = directives.some(hidesVariables) || modules.some((name) => !KNOWN_MODULE.test(name))
  return { variables: [...new Set(directives.flatMap(variablesOf))], modules, isOpen }
}

function variablesOf({ words, opensBlock, block }: Directive): readonly string[] {
  const [name = '', ...parameters] = words
  if (block === 'geoip2') return variableNamed(name)
  if (block === 'map') return name.startsWith('~') ? capturesIn(name) : []
  if (DATA_BLOCKS.has(block)) return []
  const position = DEFINING[name] ?? (/^set_\w/.test(name) && !opensBlock ? 1 : undefined)
  const defined = position === undefined ? undefined : parameters.at(position === 'last' ? -1 : position - 1)
  return [...variableNamed(defined), ...patternsOf(name, parameters).flatMap(capturesIn)]
}

const variableNamed = (word: string | undefined): readonly string[] => {
  const name = /^\$(\w+)$/.exec(word ?? '')?.[1]
  return name === undefined ? [] : [name.toLowerCase()]
}

/** The regular expressions among the parameters of a directive. */
function patternsOf(name: string, parameters: readonly string[]): readonly string[] {
  if (name === 'rewrite') return parameters.slice(0, 1)
  if (name === 'location' && parameters.length === 1) return parameters.filter((word) => word.startsWith('~'))
  if (name === 'location' || name === 'if') {
    const operator = parameters.findIndex((word) => /^!?~\*?$/.test(word))
    return operator < 0 ? [] : parameters.slice(operator + 1)
  }
  const takesPatterns = /^(?:server_name|valid_referers|proxy_redirect|proxy_cookie_(?:domain|path|flags))$/.test(name)
  return takesPatterns ? parameters.filter((word) => word.startsWith('~')) : []
}

/** The names of the groups of a regular expression, which become variables. */
const capturesIn = (pattern: string): readonly string[] =>
  [...pattern.matchAll(/\\.|\(\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/g)].flatMap(([, angled, quoted]) => {
    const name = angled ?? quoted
    return name === undefined ? [] : [name.toLowerCase()]
  })

function loadedModule({ words: [name, file = ''] }: Directive): readonly string[] {
  return name === 'load_module' ? [file.replace(/^.*\//, '').replace(/\.so$/, '')] : []
}

function hidesVariables({ words: [name = '', file = ''], block }: Directive): boolean {
  if (DATA_BLOCKS.has(block)) return false
  return name === 'include' ? !HARMLESS_FILE.test(file) : /_by_lua(?:_block|_file)?$/.test(name)
}
