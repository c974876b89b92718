/** `sluice` from the command line to its output, by transcripts. From `l` on. */
import { describeTranscripts } from '../support/transcripts.ts'
import { playCommands } from './transcripts.ts'

describeTranscripts(new URL('../fixtures/cli/', import.meta.url), playCommands, (name) => name >= 'l')
