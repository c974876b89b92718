import { documentRule as rule } from '../../src/engine/rule.ts'
import { manifest } from '../gateway/manifest.ts'

/** A suppression that does not do what it seems to do hides something, or will. */
export default rule({
  id: 'document/suppression',
  severity: 'warning',
  judges: 'Suppressions',
  summary: 'A comment or annotation that keeps a finding quiet names its rule, says why, and is needed.',
  why: 'A misspelt suppression keeps nothing quiet. One without a reason cannot be reviewed. One that is no longer needed waits for the next mistake and hides it.',
  remedy: 'Correct it, or remove it.',
  source: 'docs/suppressions.md',
  messages: {
    unused: {
      text: '{directive} keeps nothing of {rule} quiet',
      remedy: 'Remove {rule} from it: nothing of that rule is found here.',
    },
    reasonless: {
      text: '{directive} gives no reason, so it keeps nothing quiet',
      remedy: 'Say why, behind two dashes: {directive} {rule} -- the reason',
    },
    nameless: {
      text: '{directive} names no rule, so it keeps nothing quiet',
      remedy: 'Name the rule of the finding that is meant, such as {rule}.',
    },
    directive: {
      text: 'there is no {directive}, so it keeps nothing quiet',
      remedy: 'Write sluice-disable-next-line, sluice-disable-line or sluice-disable-file.',
    },
    'misspelt-directive': {
      text: 'there is no {directive}, so it keeps nothing quiet',
      remedy: 'Write {meant}.',
    },
    'misspelt-rule': { text: 'there is no rule "{rule}" to be kept quiet', remedy: 'Write {meant}.' },
    'unknown-rule': { text: 'there is no rule "{rule}" to be kept quiet', remedy: '"sluice rules" lists the rules.' },
    wildcard: {
      text: '"{rule}" names no rule: a suppression names each rule that it keeps quiet',
      remedy: 'Name the rules of the findings that are meant. Severities of many files are set in sluice.config.yaml.',
    },
    alone: {
      text: '{directive} stands on a line of its own, where nothing is found',
      remedy: 'Write sluice-disable-next-line, or put it at the end of the line that it means.',
    },
    'never-suppressed': {
      text: '{directive} cannot keep {rule} quiet',
      remedy: 'Mend what it finds, or set its severity in sluice.config.yaml.',
    },
    'still-denied': {
      text: '{rule} finds an error here, which {directive} cannot keep quiet in a cluster',
      severity: 'info',
      remedy: 'Mend it: the admission webhook heeds the annotation for warnings only.',
    },
  },
  examples: {
    bad: manifest({
      limits: [
        '{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m } # sluice-disable-line gateway/key-constant -- one budget',
      ],
    }),
    good: manifest({
      limits: [
        '{ key: everybody, rate: 10r/s, zoneSize: 10m } # sluice-disable-line gateway/key-constant -- one budget',
      ],
    }),
  },
  check({ problems }, { report }) {
    for (const { code, place, directive, rule, meant } of problems) report(code, place, { directive, rule, meant })
  },
})
