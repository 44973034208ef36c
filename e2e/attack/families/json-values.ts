import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { JSON_CONTENT, oneRequest } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'
import { objectText, pickStart, startCase, TRANSFER_FIELD_NAMES, transfer } from './transfers.ts'

/** One value of every JSON type, and the shapes that programs mistake for another. */
const VALUES: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1.5',
  '1e400',
  '""',
  '" "',
  '"null"',
  '"undefined"',
  '"NaN"',
  '"[object Object]"',
  '"0"',
  '[]',
  '[null]',
  '[["MOMOCM"]]',
  '{}',
  '{"toString":null}',
  '{"value":"MOMOCM"}',
  '{"$ne":null}',
  '{"then":1}',
]

/** Bodies that are JSON or nearly, and are no transfer. */
const DOCUMENTS: readonly string[] = [
  '',
  ' ',
  'null',
  'true',
  '0',
  '""',
  '[]',
  '[[]]',
  '{}',
  '[{}]',
  '{',
  '}',
  '[',
  ']',
  '{"',
  '{"a',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '{,"a":1}',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{"a" 1}',
  '{a:1}',
  "{'a':1}",
  '{"a":1}{"b":2}',
  '{"a":1} x',
  '/* note */{}',
  '{}// note',
  '\ufeff{}',
  '\f{}',
  '\u00a0{}',
  'nul',
  'True',
  'undefined',
  'NaN',
  '"\t"',
  '"\\x41"',
  '"\\u12"',
  '"\\',
  '"a\nb"',
  '{"a":"b"',
  '--1',
  '01',
  '1.',
  '.1',
  '1e',
  '0x1f',
  '<a/>',
  'a=1&b=2',
]

/** A value that happens to be right in its place. */
function isRight(field: (typeof TRANSFER_FIELD_NAMES)[number], value: string): boolean {
  if (field === 'amount') return value === '1.5'
  return field === 'customerName' && /^"[^" ]/.test(value)
}

function typeInField(random: Random, field: (typeof TRANSFER_FIELD_NAMES)[number]): CaseMaker {
  const value = random.pick(VALUES)
  return {
    name: `${value} as ${field}`,
    make(caseRandom, arsenal) {
      const fields = transfer(caseRandom, arsenal, { [field]: value })
      const right = isRight(field, value)
      return startCase(`${field} is ${value}`, arsenal, pickStart(caseRandom), objectText(fields), [right ? 200 : 400], {
        starts: [fields.id],
      })
    },
  }
}

const inFields: CaseMaker[] = TRANSFER_FIELD_NAMES.map((field) => ({
  name: `another JSON type as ${field}`,
  make: (random, arsenal) => typeInField(random, field).make(random, arsenal),
}))

const absent: CaseMaker[] = TRANSFER_FIELD_NAMES.map((field) => ({
  name: `${field} is absent`,
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const text = `{${TRANSFER_FIELD_NAMES.filter((name) => name !== field)
      .map((name) => `"${name}":${fields[name]}`)
      .join(',')}}`
    return startCase(`without ${field}`, arsenal, pickStart(random), text, [400], {
      starts: [fields.id],
      inspect: ([answer]) => (answer?.body.includes(field) ? undefined : `the message does not name ${field}`),
    })
  },
}))

const documents: CaseMaker = {
  name: 'a document that is no transfer',
  make(random, arsenal) {
    const document = random.pick(DOCUMENTS)
    const start = pickStart(random)
    const attack = startCase(`the document ${JSON.stringify(document)}`, arsenal, 'collect', document, [400])
    if (start !== 'depositMultiple') return attack
    return startCase(`an array around ${JSON.stringify(document)}`, arsenal, start, document, [400])
  },
}

const tokens: CaseMaker = {
  name: 'another JSON type in a sign-in of a program',
  make(random) {
    const value = random.pick(VALUES)
    const [target, names] = random.pick([
      ['/public/access_token', ['username', 'password']],
      ['/public/refresh_token', ['refreshToken']],
    ] as const)
    const spoilt = random.pick(names)
    const text = `{${names.map((name) => `"${name}":${name === spoilt ? value : `"x${random.between(1, 99_999)}"`}`).join(',')}}`
    const isText = /^"[^"]/.test(value)
    return oneRequest(
      `${target} with ${value} as ${spoilt}`,
      { method: 'POST', target, headers: [JSON_CONTENT], body: text },
      isText ? [401, 429] : [400],
    )
  },
}

const tokenDocuments: CaseMaker = {
  name: 'a document that is no sign-in',
  make(random) {
    const document = random.pick(DOCUMENTS)
    const target = random.pick(['/public/access_token', '/public/refresh_token'])
    return oneRequest(
      `${target} with ${JSON.stringify(document)}`,
      { method: 'POST', target, headers: [JSON_CONTENT], body: document },
      [400],
    )
  },
}

const accepted: CaseMaker = {
  name: 'a transfer as it should be',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    return startCase('a good one', arsenal, pickStart(random), objectText(fields), [200], {
      starts: [fields.id],
      inspect: ([answer]) => (answer?.body.includes(fields.id) ? undefined : 'the answer does not repeat the externalId'),
    })
  },
}

export const jsonValues: Family = {
  name: 'json-values',
  weight: 12,
  makers: [...inFields, ...absent, documents, tokens, tokenDocuments, accepted],
}
