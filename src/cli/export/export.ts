/** `sluice export`. */
import { RULES } from '../../../rules/index.ts'
import { FABRIC_VERSIONS } from '../../fabric/releases.ts'
import { type AdmissionPolicies, admissionPolicies, ENFORCEMENTS } from '../../installation/admission-policies.ts'
import type { JsonObject } from '../../json/member.ts'
import { wrap } from '../../reports/style.ts'
import { nearest } from '../../text/nearest.ts'
import { writeDocuments } from '../../yaml/documents.ts'
import { type Command, command } from '../core/command.ts'
import { readChoice } from '../core/inputs.ts'
import { EXIT, InputError } from '../core/io.ts'
import { loadProject, readProjectFlags, readRuleFlags } from '../core/project.ts'

const WHAT = 'validating-admission-policy'

const FORMATS = ['yaml', 'json'] as const

/** `sluice export`. */
export const exportCommand: Command = command({
  name: 'export',
  summary: 'print the rules as policies that the API server evaluates',
  usage: `${WHAT} [flags]`,
  details: `Prints ValidatingAdmissionPolicies (Kubernetes 1.30 or newer), which need no
webhook: errors deny, warnings and infos warn. Severities, the nginx and the API
groups are those of the settings, and are fixed in what is printed. Comments at
the top list the rules that CEL cannot say, with the reason.`,
  flags: {
    enforce: {
      value: 'MODE',
      choices: ENFORCEMENTS,
      summary: 'deny, warn or audit; default: admission.enforce in the settings, else deny',
    },
    'namespace-selector': {
      value: 'LABELS',
      summary: 'only namespaces with these labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY, with commas between them',
    },
    rule: { value: 'ID=SEVERITY', summary: 'set the severity of a rule: off, info, warning or error; may be repeated' },
    list: { summary: 'list the rules instead: which are carried, and why the others are not' },
    format: {
      value: 'NAME',
      choices: FORMATS,
      summary: `output format: ${FORMATS.join(', ')}; the JSON is a contract`,
    },
    'fabric-version': {
      ...{ value: 'V', choices: FABRIC_VERSIONS },
      summary: 'the release of NGINX Gateway Fabric, such as 2.6.7; default: as in the settings',
    },
    config: { value: 'FILE', summary: 'the settings; default: sluice.config.yaml here or in a parent folder' },
  },
  examples: [
    { line: `sluice export ${WHAT} | kubectl apply -f -`, does: 'install' },
    { line: `sluice export ${WHAT} --enforce warn`, does: 'first see what would be denied' },
    { line: `sluice export ${WHAT} --namespace-selector team=shop`, does: 'only for some namespaces' },
    { line: `sluice export ${WHAT} --list`, does: 'which rules the policies have' },
  ],
  run: async (io, args) => {
    requireWhat(args.positionals)
    const format = readChoice('format', args.value('format'), FORMATS)
    if (args.has('list') && args.has('format'))
      throw new InputError('--list prints a table; --format json has the same')
    const ids = RULES.map(({ id }) => id)
    const flags = readRuleFlags(args.values('rule'), ids)
    const project = await loadProject(io, { ...readProjectFlags(args), ruleIds: ids, readsFiles: false })
    const policies = admissionPolicies({
      settings: { ...project.settings, rules: { ...project.settings.rules, ...flags } },
      admission: project.admission,
      enforce: args.has('enforce') ? readChoice('enforce', args.value('enforce'), ENFORCEMENTS) : undefined,
      namespaces: (args.value('namespace-selector')?.split(',') ?? []).map(readRequirement),
    })
    if (args.has('list')) io.stdout.write(asTable(policies))
    else if (format === 'json') io.stdout.write(`${JSON.stringify({ version: 1, ...policies }, null, 2)}\n`, 'json')
    else io.stdout.write(asManifests(policies))
    io.onWork?.()
    return EXIT.clean
  },
})

/** Throws {@link InputError} where something else is to be exported, or nothing. */
function requireWhat([what, surplus]: readonly string[]): void {
  if (what === WHAT && surplus === undefined) return
  if (what === WHAT) throw new InputError(`"sluice export ${WHAT}" takes flags only; got "${surplus}"`)
  if (what === undefined) throw new InputError(`what to export? write "sluice export ${WHAT}"`)
  const hint = nearest(what, [WHAT, 'vap']) === undefined ? `it exports ${WHAT}` : `did you mean ${WHAT}?`
  throw new InputError(`cannot export "${what}"; ${hint}`)
}

const LABEL_KEY = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?$/
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?)?$/

/** One requirement of a label selector, as kubectl writes it. Throws {@link InputError}. */
function readRequirement(text: string): JsonObject {
  const written = text.trim()
  const [, operator, value = ''] = /(!=|==?)(.*)/.exec(written) ?? []
  const isAbsent = operator === undefined && written.startsWith('!')
  const key = operator === undefined ? written.slice(isAbsent ? 1 : 0) : written.slice(0, written.indexOf(operator))
  if (!LABEL_KEY.test(key) || !LABEL_VALUE.test(value))
    throw new InputError(`--namespace-selector must be labels such as team=shop or !legacy; got "${written}"`)
  if (operator === undefined) return { key, operator: isAbsent ? 'DoesNotExist' : 'Exists' }
  return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] }
}

/** Columns of the comments. */
const WIDTH = 110

const KEY_CHANGE = 'gateway/key-change-without-zone-resize'
const MORE_DENIED = `Of a stored version that the CRD, which is newer, refuses, they deny more changes than the webhook: those of ${KEY_CHANGE}, whose zone nginx cannot have, and of gateway/mixed-target-kinds where its message names another Gateway.`

/** Documents with comments above them: which rules they have, and which not. */
function asManifests({ objects, carried, notCarried }: AdmissionPolicies): string {
  const rules = [...new Set(carried.map(({ rule }) => rule))]
  const lines = [
    `Rules of sluice as ValidatingAdmissionPolicies: ${rules.length} rules, made by "sluice export ${WHAT}".`,
    `Not carried, ${notCarried.length} rules:`,
    ...notCarried.map(({ rule, reason }) => `- ${rule}: ${reason}`),
    ...(rules.includes(KEY_CHANGE) ? [MORE_DENIED] : []),
  ]
  const comments = lines.flatMap((line) => wrap(line, WIDTH, (text) => text.length).map((part) => `# ${part}`))
  return `${comments.join('\n')}\n${writeDocuments(objects)}`
}

/** A line for each rule. */
function asTable({ carried, notCarried }: AdmissionPolicies): string {
  const rows = [
    ...carried.map(({ rule, severity, policy }) => [rule, severity, policy]),
    ...notCarried.map(({ rule, reason }) => [rule, '-', reason]),
  ]
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}
