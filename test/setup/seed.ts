/** With `SLUICE_SEED` in the environment, properties without a seed of their own have this one: the same cases each time. */
const seed = process.env.SLUICE_SEED
if (seed !== undefined) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
}
