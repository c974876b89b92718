/** Configurations in parts: a zone and a location each. */
import type { Forms, Wanted } from '../../../src/proxy/configuration.ts'

/** A zone by its name and key, and a location that says the version of the part. */
export const part = (name: string, key = '$uri', version = 'v1'): string =>
  `limit_req_zone ${key} zone=${name}:32k rate=1r/s;\n#location\nlocation = /${name} { return 200 ${version}; }\n`

/** One file of zones for each part, and one server with the locations of all. */
export function composing(port: number, { frame = '' } = {}): Wanted['compose'] {
  return (forms) => {
    const split = [...forms].map(([name, form]) => ({ name, texts: form.split('#location\n') }))
    const location = (name: string, text = '') => ({ name: `locations/${name}.conf`, text, part: name })
    const zone = (name: string, text = '') => ({ name: `zones/${name}.conf`, text, part: name })
    return [
      { name: 'nginx.conf', text: mainFile(port, [...forms.keys()], frame) },
      ...split.flatMap(({ name, texts }) => [zone(name, texts[0]), location(name, texts[1])]),
    ]
  }
}

const mainFile = (port: number, parts: readonly string[], frame: string): string => `
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid nginx.pid;
error_log error.log notice;
events { worker_connections 64; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`).join(' ')}
  ${frame}
  ${parts.map((name) => `include zones/${name}.conf;`).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    keepalive_timeout 0;
    location / { return 404 none; }
    ${parts.map((name) => `include locations/${name}.conf;`).join('\n    ')}
  }
}
`

export const formsOf = (forms: Readonly<Record<string, string>>): Forms => new Map(Object.entries(forms))

/** Parts `p0`, `p1`, … with the same key. */
export const many = (count: number, form = (name: string) => part(name)): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, form(`p${index}`)]))
