import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { documents as anyDocuments, jsonValues as anyValues, draw } from '#e2e/attack/values.ts'
import { JSON_CONTENT, oneRequest } from '#e2e/attack/wire/request.ts'
import { objectText, pickStart, startCase, TRANSFER_FIELD_NAMES, transfer } from './transfers.ts'

const inFields: CaseMaker[] = TRANSFER_FIELD_NAMES.map((field) => ({
  name: `another JSON type as ${field}`,
  make(random, arsenal) {
    const value = draw(random, anyValues)
    const fields = transfer(random, arsenal, { [field]: value })
    // A number may happen to be a good amount, and a text a good name.
    const mayBeRight = { amount: 'number', customerName: 'string' }[field as string] === typeof JSON.parse(value)
    const start = field === 'amount' ? 'collect' : pickStart(random)
    return startCase(`${field} is ${value}`, arsenal, start, objectText(fields), mayBeRight ? [200, 400] : [400], { starts: [fields.id] })
  },
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
  name: 'a document that is not a transfer',
  make(random, arsenal) {
    const document = draw(random, anyDocuments)
    const start = pickStart(random)
    const attack = startCase(`the document ${JSON.stringify(document)}`, arsenal, 'collect', document, [400])
    if (start !== 'depositMultiple') return attack
    return startCase(`an array around ${JSON.stringify(document)}`, arsenal, start, document, [400])
  },
}

const tokens: CaseMaker = {
  name: 'another JSON type in a sign-in of a program',
  make(random) {
    const value = draw(random, anyValues)
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
      isText ? [400, 401, 429] : [400],
    )
  },
}

const tokenDocuments: CaseMaker = {
  name: 'a document that is not a sign-in',
  make(random) {
    const document = draw(random, anyDocuments)
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
