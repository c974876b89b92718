/** A real program as the platform that look-ups ask about. */
import type { VariableFacts, VariablePlatform } from '../../src/nginx/variables.ts'
import type { NginxProgram } from './real-nginx.ts'

/** The platform that a program is. */
export const platformOf = ({ version }: NginxProgram): VariablePlatform => ({
  nginxVersion: version,
  plus: false,
  variables: [],
})

/** True where the program was built with the module that a variable needs; dynamic modules are not loaded here. */
export const isBuiltIn = ({ built }: NginxProgram, { build }: VariableFacts): boolean =>
  build === undefined || new RegExp(`--with-${build}_module(?![=\\w])`).test(built)

/** True for names that NGINX Plus alone has, and that a third-party module of the program has taken. */
export const isForeign = ({ built }: NginxProgram, name: string): boolean =>
  /auth-jwt/.test(built) && /^jwt_(claim|header)_/.test(name)

/** A key in a configuration that uses it. */
export const withKey = (key: string): string =>
  `limit_req_zone ${key} zone=z:32k rate=1r/s;\nserver { listen 127.0.0.1:65535; location / { limit_req zone=z; return 200; } }`
