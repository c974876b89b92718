/** How this machine reaches packages; the rest of the surroundings of a test stays out of what it starts. */
export const network = (): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^HOME$|^NODE_EXTRA_CA_CERTS$|^SSL_CERT_|_proxy$/i.test(name)),
  )
