import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { brokenUtf8, draw, forbiddenTexts, names } from '#e2e/attack/values.ts'
import { credentials, oneRequest } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'
import { objectText, pickStart, startCase, TRANSACTION_PATH, transfer } from './transfers.ts'

const named: CaseMaker = {
  name: 'an unusual name',
  make(random, arsenal) {
    const name = draw(random, names)
    const isEscaped = random.chance(0.3)
    const text = isEscaped ? escapeAll(name) : JSON.stringify(name)
    const fields = transfer(random, arsenal, { customerName: text })
    return startCase(
      `the name ${JSON.stringify(name)}${isEscaped ? ', escaped' : ''}`,
      arsenal,
      pickStart(random),
      objectText(fields),
      [200],
      {
        starts: [fields.id],
        inspect: ([answer]) =>
          answer && echoes(answer.body, name) ? undefined : `the name came back otherwise: ${answer?.body.slice(0, 300)}`,
      },
    )
  },
}

function escapeAll(text: string): string {
  return `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
}

function echoes(body: string, name: string): boolean {
  const parsed = JSON.parse(body) as { customerName: string } | { customerName: string }[]
  return (Array.isArray(parsed) ? parsed[0] : parsed)?.customerName === name
}

const brokenText: CaseMaker = {
  name: 'bytes that are not UTF-8',
  make(random, arsenal) {
    const bytes = draw(random, brokenUtf8)
    const fields = transfer(random, arsenal, { customerName: '"Ab§Cd"' })
    const [before = '', after = ''] = objectText(fields).split('§')
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    const hex = Buffer.from(bytes).toString('hex')
    return startCase(`the bytes ${hex} in the name`, arsenal, pickStart(random), body, [400], { starts: [fields.id] })
  },
}

const forbidden: CaseMaker = {
  name: 'NUL, lone surrogates and control characters',
  make(random, arsenal) {
    const text = draw(random, forbiddenTexts)
    const field = random.pick(['customerName', 'transferMethod', 'externalId', 'phoneNumber', 'webhookUrl', 'countryName'] as const)
    const fields = transfer(random, arsenal, { [field]: text })
    return startCase(`${JSON.stringify(text)} as ${field}`, arsenal, pickStart(random), objectText(fields), [400], { starts: [fields.id] })
  },
}

const combining: CaseMaker = {
  name: 'combining marks by the thousand',
  make(random, arsenal) {
    const count = random.pick([199, 200, 20_000, 100_000])
    const field = random.pick(['customerName', 'phoneNumber', 'webhookUrl'] as const)
    const fields = transfer(random, arsenal, { [field]: `"a${'\u0301'.repeat(count)}"` })
    const isRight = field === 'customerName' && count < 200
    const isOneBody = objectText(fields).length * 2 < 64 * 1024
    const statuses = isRight ? [200] : isOneBody ? [400] : [400, 413]
    return startCase(`${count} combining marks as ${field}`, arsenal, pickStart(random), objectText(fields), statuses, {
      starts: [fields.id],
    })
  },
}

function lengthCase(
  field: 'customerName' | 'webhookUrl' | 'phoneNumber',
  make: (random: Random) => { text: string; isRight: boolean },
): CaseMaker {
  return {
    name: `${field} at its greatest length`,
    make(random, arsenal) {
      const { text, isRight } = make(random)
      const fields = transfer(random, arsenal, { [field]: JSON.stringify(text) })
      const what = `${field} of ${[...text].length} characters`
      return startCase(what, arsenal, pickStart(random), objectText(fields), [isRight ? 200 : 400], { starts: [fields.id] })
    },
  }
}

const nameLengths = lengthCase('customerName', (random) => {
  const length = random.pick([1, 199, 200, 201, 1_000, 10_000])
  return { text: random.pick(['x', 'é', '漢', '😀']).repeat(length), isRight: length <= 200 }
})
const phones = lengthCase('phoneNumber', (random) => {
  const length = random.pick([3, 9, 10, 12, 15, 16, 1_000])
  return { text: `237${'0'.repeat(length - 3)}`, isRight: length >= 10 && length <= 15 }
})

const WEBHOOK_URLS: readonly string[] = [
  '',
  'not an address',
  '/relative',
  '//127.0.0.1/x',
  'ftp://127.0.0.1/x',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  'http:/127.0.0.1/x',
  'http:127.0.0.1',
  'http://',
  'http://?x',
  'http://#x',
  'http:\\\\127.0.0.1\\x',
  'http://127.0.0.1:99999/x',
  'http://127.0.0.1 /x',
  'http://127.0.0.1/a b',
  'http://[::1',
  'http://127.0.0.1\n/x',
  ' http://127.0.0.1/x',
  'gopher://127.0.0.1/x',
]

const webhookUrls: CaseMaker = {
  name: 'no web address as webhookUrl',
  make(random, arsenal) {
    const url = random.pick(WEBHOOK_URLS)
    const fields = transfer(random, arsenal, { webhookUrl: JSON.stringify(url) })
    return startCase(`the webhookUrl ${JSON.stringify(url)}`, arsenal, pickStart(random), objectText(fields), [400], {
      starts: [fields.id],
    })
  },
}

const notes: CaseMaker = {
  name: 'text in a decision that is refused',
  make(random, arsenal) {
    const note = random.pick([draw(random, names), 'x'.repeat(1_001), '😀'.repeat(1_000), ' '])
    const [endpoint, field] = random.pick([
      ['validateTransaction', 'payeeNote'],
      ['rejectTransaction', 'reason'],
    ] as const)
    const search = new URLSearchParams({ checkerId: random.uuid(), transactionId: random.uuid(), [field]: note })
    return oneRequest(
      `${endpoint} with the ${field} ${JSON.stringify(note.slice(0, 40))}`,
      { method: 'POST', target: `${TRANSACTION_PATH}/${endpoint}?${search}`, headers: credentials(arsenal), body: '' },
      [400, 403, 404],
    )
  },
}

export const text: Family = {
  name: 'text',
  weight: 10,
  makers: [named, brokenText, forbidden, combining, nameLengths, phones, webhookUrls, notes],
}
