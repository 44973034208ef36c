import type { Samples } from '#lib/reference.ts'
import { CHECKER_ID, COLLECT_ID, DEPOSIT_ID } from '#server/http/openapi/examples.ts'
import type { Json } from '#server/http/openapi/operation.ts'
import type { SampleCall, SampleText, SampleValue } from './sample-call.ts'
import { writeCurl } from './write-curl.ts'
import { writePhp } from './write-php.ts'
import { writePython } from './write-python.ts'
import { writeTypeScript } from './write-typescript.ts'

/** One operation as the document describes it, with the values of its examples. */
type DescribedCall = { method: 'GET' | 'POST'; path: string; isOpen: boolean; query: [string, string | number][]; body: Json | undefined }

/** The same call in every language, with the reader's own values as environment variables. */
export function writeSamples({ method, path, isOpen, query, body }: DescribedCall): Samples {
  const call: SampleCall = {
    method,
    path,
    isOpen,
    query: query.map(([name, value]) => [name, typeof value === 'number' ? value : toText(name, value)]),
    body: body === undefined ? undefined : toValue('', body),
  }
  return { curl: writeCurl(call), typescript: writeTypeScript(call), python: writePython(call), php: writePhp(call) }
}

function toValue(name: string, value: Json): SampleValue {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return toText(name, value)
  if (Array.isArray(value)) return value.map((each) => toValue(name, each))
  if (typeof value !== 'object' || value === null) throw new Error('An example of a request holds texts and numbers')
  return { object: Object.entries(value).map(([field, each]) => [field, toValue(field, each)]) }
}

/** Names are quoted in four ways: an example with a quote or a dollar would be wrong in one of them. */
const QUOTED_EVERYWHERE = /^[^'"`\\$]*$/

function toText(name: string, text: string): SampleText {
  if (text === COLLECT_ID || text === DEPOSIT_ID) return { variable: 'TRANSACTION_ID' }
  if (text === CHECKER_ID) return { variable: 'CHECKER_ID' }
  if (name === 'externalId') return { newUuid: text }
  if (name === 'username') return { variable: 'API_USER' }
  if (name === 'password') return { variable: 'API_PASSWORD' }
  if (name === 'refreshToken') return { variable: 'REFRESH_TOKEN' }
  if (!QUOTED_EVERYWHERE.test(text)) throw new Error(`The example ${text} needs quoting`)
  return { text }
}
