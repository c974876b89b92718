import { documentRule as rule } from '../../src/engine/rule.ts'
import { manifest } from '../gateway/manifest.ts'

/** kubectl applies nothing from a document that it cannot read. */
export default rule({
  id: 'document/syntax',
  severity: 'error',
  judges: 'Document',
  summary: 'A manifest is YAML or JSON that kubectl can read.',
  why: 'kubectl stops at the first document that it cannot read and applies none of its objects. It refuses some YAML that other parsers accept.',
  remedy: 'Correct the YAML or JSON. If the file is a template, lint its rendered output instead.',
  source: 'YAML 1.2, specification; JSON, RFC 8259; both as kubectl reads them',
  messages: {
    other: '{reason}',
    tab: { text: '{reason}', remedy: 'Indent with spaces.' },
    line: { text: '{reason}', remedy: 'Start it on the next line, indented more than its key.' },
    indentation: { text: '{reason}', remedy: 'Indent this line like the fields or items beside it.' },
    'first-line': { text: '{reason}', remedy: 'Indent the first line of the document like this one.' },
    above: { text: '{reason}', remedy: 'Check the lines above for a missing colon, quote, bracket or dash.' },
    item: { text: '{reason}', remedy: 'Remove the dash.' },
    field: { text: '{reason}', remedy: 'Indent this line like the fields of the item above.' },
    key: { text: '{reason}', remedy: 'Write a single word, or a text in quotes, as the key.' },
    'no-key': { text: '{reason}', remedy: 'Write the key before the colon.' },
    colon: {
      text: '{reason}',
      remedy:
        'Write a colon and a space between the key and its value, or indent the line more where it continues a text.',
    },
    quotes: { text: '{reason}', remedy: 'Put it in quotes.' },
    quote: { text: '{reason}', remedy: 'Close the quote that opens here, or remove it.' },
    'after-quote': { text: '{reason}', remedy: 'Move the closing quote to the end of the value.' },
    'inner-quote': {
      text: '{reason}',
      remedy: "Remove the quotes within the value, or write each as \\\" in double quotes and as '' in single quotes.",
    },
    extra: { text: '{reason}', remedy: 'Remove it.' },
    bracket: { text: '{reason}', remedy: 'Write the closing bracket after its last entry.' },
    'missing-bracket': { text: '{reason}', remedy: 'Write the missing bracket before it.' },
    'other-bracket': { text: '{reason}', remedy: 'Write the expected bracket instead.' },
    comma: { text: '{reason}', remedy: 'Write a comma before this entry.' },
    'block-text': {
      text: '{reason}',
      remedy: 'Start the text on the next line, indented more than its key, or put the value in quotes.',
    },
    anchor: { text: '{reason}', remedy: 'Write the value itself, or define the anchor earlier in this document.' },
    'anchor-cycle': { text: '{reason}', remedy: 'Write the value itself.' },
    'anchor-name': {
      text: '{reason}',
      remedy:
        'Name the anchor with letters, digits, "-" and "_" only; put a value that is not meant as an anchor in quotes.',
    },
    tag: { text: '{reason}', remedy: 'Correct the tag; put a value that is not meant as a tag in quotes.' },
    'tag-value': { text: '{reason}', remedy: 'Correct the value, or remove its tag.' },
    merge: { text: '{reason}', remedy: 'Merge a mapping or an alias of one, or put "<<" in quotes.' },
    number: { text: '{reason}', remedy: 'Write a number, or put the value in quotes.' },
    escape: { text: '{reason}', remedy: 'Write a backslash as "\\\\", or put the value in single quotes.' },
    control: { text: '{reason}', remedy: 'Remove the control character.' },
    directive: { text: '{reason}', remedy: 'Remove the lines that begin with "%".' },
    separator: { text: '{reason}', remedy: 'Start each document with a line that contains only "---".' },
    dashes: {
      text: '{reason}',
      remedy: 'Write only "---" where a document begins; indent the line where it belongs to a text.',
    },
    'no-kind': { text: '{reason}', remedy: 'Write its kind, or move it to a file of its own.' },
    'no-object': { text: '{reason}', remedy: 'Remove it, or move it to a file of its own.' },
    conflict: { text: '{reason}', remedy: 'Keep one of the two versions, and remove the lines with the markers.' },
    space: { text: '{reason}', remedy: 'Replace it with an ordinary space.' },
    near: { text: '{reason}', remedy: 'Check just before this place for a missing or extra comma, bracket or quote.' },
    'json-comma': { text: '{reason}', remedy: 'Write a comma before it.' },
    'json-extra-comma': { text: '{reason}', remedy: 'Remove the comma before it.' },
    'json-comment': { text: '{reason}', remedy: 'Remove the comment: JSON has none.' },
    'json-key': { text: '{reason}', remedy: 'Put the key in double quotes.' },
    'json-value': {
      text: '{reason}',
      remedy: 'Put the value in double quotes, or write a number, true, false or null.',
    },
    'json-quote': { text: '{reason}', remedy: 'Close the string with a double quote on the line where it begins.' },
    'json-escape': { text: '{reason}', remedy: 'Write a backslash as "\\\\".' },
    'json-control': { text: '{reason}', remedy: 'Remove the control character, or write it as an escape such as \\t.' },
    'json-number': { text: '{reason}', remedy: 'Write a smaller number, or put it in double quotes.' },
    'json-end': {
      text: '{reason}',
      remedy: 'Remove it, or remove the closing bracket above that ends the object too early.',
    },
    'json-separator': {
      text: '{reason}',
      remedy: 'Remove this line between JSON objects; move YAML that follows to a file of its own.',
    },
  },
  examples: () => ({
    bad: manifest({}).replace('metadata: {', 'metadata: {{'),
    good: manifest({}),
  }),
  check({ problems }, { report }) {
    for (const { start, end, ...problem } of problems)
      if (problem.code === 'syntax') report(problem.cause, { start, end }, { reason: problem.reason })
  },
})
