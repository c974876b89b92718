import { documentRule as rule } from '../../src/engine/rule.ts'
import { manifest } from '../gateway/manifest.ts'

/** A suppression that does not do what it seems to do hides a mistake, now or later. */
export default rule({
  id: 'document/suppression',
  severity: 'warning',
  judges: 'Suppressions',
  summary: 'A suppression names its rule, gives a reason, is needed, and has not expired.',
  why: 'A misspelt suppression suppresses nothing. One without a reason cannot be reviewed. One that is no longer needed would hide the next mistake.',
  remedy: 'Correct the suppression, or remove it.',
  source: 'docs/suppressions.md',
  messages: {
    expired: {
      text: '{directive} was valid until {until}, and suppresses nothing now',
      severity: 'error',
      remedy: 'Fix what it suppressed and remove it, or write a later day after "until=".',
    },
    'expired-of-owner': {
      text: '{directive} was valid until {until} (owner {owner}), and suppresses nothing now',
      severity: 'error',
      remedy: 'Fix what it suppressed and remove it, or ask {owner} for a later day after "until=".',
    },
    'not-a-date': {
      text: '"{term}" is not a day, so {directive} suppresses nothing',
      remedy: 'Write a day of the calendar, as in: until=2027-01-31',
    },
    ownerless: {
      text: '"{term}" names no owner, so {directive} suppresses nothing',
      remedy: 'Write who answers for the suppression, as in: owner=team-a',
    },
    twice: {
      text: '"{term}=" is written twice, so {directive} suppresses nothing',
      remedy: 'Write "{term}=" once; what must end on another day needs a suppression of its own.',
    },
    'misspelt-term': {
      text: '"{term}" is neither a rule nor a term, so {directive} suppresses nothing',
      remedy: 'Write "{meant}=".',
    },
    'unknown-term': {
      text: '"{term}" is neither a rule nor a term, so {directive} suppresses nothing',
      remedy: 'Remove it, or write "until=" with a day or "owner=" with a name; what explains goes behind the dashes.',
    },
    'term-in-reason': {
      text: '"{term}" stands in the reason of {directive}, where it has no effect',
      remedy: 'Write it in front of the dashes, as in: RULE {term} -- the reason',
    },
    'ambiguous-rule': {
      text: '"{rule}" is the name of several rules, so it suppresses none of them',
      remedy: 'Write {meant}.',
    },
    unused: {
      text: '{directive} suppresses no finding of {rule}',
      remedy: 'Remove {rule} from this suppression: there is no such finding here.',
    },
    reasonless: {
      text: '{directive} has no reason, so it suppresses nothing',
      remedy: 'Add a reason after two dashes, as in: {rule} -- the reason',
    },
    nameless: {
      text: '{directive} names no rule, so it suppresses nothing',
      remedy: 'Name the rule to suppress and the reason, as in: {rule} -- the reason',
    },
    directive: {
      text: '{directive} is not a directive, so it suppresses nothing',
      remedy: 'Write sluice-disable-next-line, sluice-disable-line or sluice-disable-file.',
    },
    'misspelt-directive': {
      text: '{directive} is not a directive, so it suppresses nothing',
      remedy: 'Write {meant}.',
    },
    'misspelt-rule': { text: 'there is no rule "{rule}" to suppress', remedy: 'Write {meant}.' },
    'unknown-rule': {
      text: 'there is no rule "{rule}" to suppress',
      remedy: 'Write the id of a rule; "sluice rules" lists them all.',
    },
    wildcard: {
      text: '"{rule}" is not the id of a rule: a suppression must name each rule',
      remedy: 'Write the id of each rule to suppress. To change severities for many files, use sluice.config.yaml.',
    },
    alone: {
      text: '{directive} is on a line of its own, where there is nothing to suppress',
      remedy: 'Write sluice-disable-next-line, or move the comment to the end of the line that has the finding.',
    },
    'never-suppressed': {
      text: '{directive} cannot suppress {rule}',
      remedy: 'Remove {rule} from this suppression; fix its finding, or set its severity in sluice.config.yaml.',
    },
    'still-denied': {
      text: '{directive} cannot suppress {rule} in a cluster, because it is an error',
      severity: 'info',
      remedy: 'Fix the error, and remove {rule} here: the admission webhook suppresses warnings only.',
    },
  },
  examples: () => ({
    bad: manifest({
      limits: [
        '{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m } # sluice-disable-line gateway/key-constant -- one budget',
      ],
    }),
    good: manifest({
      limits: ['{ key: shared, rate: 10r/s, zoneSize: 10m } # sluice-disable-line gateway/key-constant -- one budget'],
    }),
  }),
  check({ problems }, { report }) {
    for (const { code, place, ...data } of problems) report(code, place, data)
  },
})
