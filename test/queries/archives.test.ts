/** The answers of `effective`, `status` and `render` about small worlds, by transcripts. */
import { playCommands } from '../cli/transcripts.ts'
import { describeTranscripts } from '../support/transcripts.ts'

describeTranscripts(new URL('../fixtures/queries/', import.meta.url), playCommands)
