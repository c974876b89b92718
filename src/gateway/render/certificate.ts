/**
 * A certificate to try a configuration with, so that listeners for HTTPS need no files. Its key stands here for
 * everybody to read: it proves nothing, protects nothing and is no secret.
 */
import { comment, directive, type Node } from './nodes.ts'

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBTTCB9AIBATAKBggqhkjOPQQDAjAyMTAwLgYDVQQDDCd0aHJvdy1hd2F5IGNl
cnRpZmljYXRlIG9mIHNsdWljZSByZW5kZXIwIBcNMjAwMTAxMDAwMDAwWhgPOTk5
OTEyMzEyMzU5NTlaMDIxMDAuBgNVBAMMJ3Rocm93LWF3YXkgY2VydGlmaWNhdGUg
b2Ygc2x1aWNlIHJlbmRlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJh2qPmp
a769UGvfYOnPRfOiWcKDFX7sF+YUs2Prb2ggwyvRPJZ5KHg73Mf+D2c3fUaEf2vE
DDW2HvwJdaVjZ+4wCgYIKoZIzj0EAwIDSAAwRQIhAKFebobqD2FpCqmJe5M555k5
ZKRUaSn+Dc1CPhO85xxlAiBHOrLaqbiHeoGVCBpTHlajkS9EaQVueWR31OG6wf/I
6g==
-----END CERTIFICATE-----
`

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMgb+Jr0suv52tn2k
0kqBDSLzAQxvpT3f2XHrVBEeR8OhRANCAASYdqj5qWu+vVBr32Dpz0XzolnCgxV+
7BfmFLNj629oIMMr0TyWeSh4O9zH/g9nN31GhH9rxAw1th78CXWlY2fu
-----END PRIVATE KEY-----
`

/** The certificate and its key, within the configuration itself. */
export const throwAwayCertificate = (): readonly Node[] => [
  comment(
    'A throw-away certificate. Everybody has its key: it is no secret and protects nothing (--tls-dir names real ones).',
  ),
  directive(`ssl_certificate "data:${CERTIFICATE}"`),
  directive(`ssl_certificate_key "data:${KEY}"`),
]
