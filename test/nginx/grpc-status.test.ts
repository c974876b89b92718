import { expect } from 'vitest'
import { grpcStatusOf } from '../../src/nginx/responses.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

each<[number, string]>('clients of gRPC read %i as %s', (code, status) => expect(grpcStatusOf(code)).toBe(status))
