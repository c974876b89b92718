/** Makes the tests of a mutant try the same random cases each time. */
import fc from 'fast-check'

fc.configureGlobal({ seed: 1 })
