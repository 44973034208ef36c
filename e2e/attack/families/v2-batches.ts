import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { CaseMaker, Family, StatusRule } from '#e2e/attack/case.ts'
import { badAmounts, draw, jsonValues } from '#e2e/attack/values.ts'
import type { Random } from '#lib/seeded-random.ts'
import { objectText, transfer } from './transfers.ts'
import { post, twice } from './v2-requests.ts'

function batchText(
  random: Random,
  arsenal: Arsenal,
  { name, count }: { name: string; count: number },
  spoil: (text: string) => string = (text) => text,
) {
  const deposits = Array.from({ length: count }, () => transfer(random, arsenal, { amount: '1' }))
  const texts = deposits.map((fields, index) => (index === count - 1 ? spoil(objectText(fields)) : objectText(fields)))
  return `{"name":${JSON.stringify(name)},"webhookUrl":${JSON.stringify(arsenal.webhookUrl)},"deposits":[${texts.join(',')}]}`
}

const batches: CaseMaker = {
  name: 'a batch as it should be',
  make(random, arsenal) {
    const key = random.uuid()
    const count = random.pick([1, 2, 20])
    const body = batchText(random, arsenal, { name: `attack ${key}`, count })
    return post(`${count} deposits`, arsenal, { target: 'batches', body, key }, [200], {
      makes: [{ table: 'batches', mark: `attack ${key}` }],
      inspect: ([answer]) => (answer?.body.includes(`"depositCount":${count}`) ? undefined : 'the answer does not count its deposits'),
    })
  },
}

const wrongBatches: CaseMaker = {
  name: 'a batch with something wrong in it',
  make(random, arsenal) {
    const key = random.uuid()
    const name = `attack ${key}`
    const good = batchText(random, arsenal, { name, count: 2 })
    const spoilt = (change: (text: string) => string) => batchText(random, arsenal, { name, count: 2 }, change)
    const [what, body, statuses] = random.pick<readonly [string, string, readonly StatusRule[]]>([
      ['no deposit', `{"name":"${name}","deposits":[]}`, [400]],
      ['deposits that are an object', `{"name":"${name}","deposits":{"length":1}}`, [400]],
      ['deposits that are a text', `{"name":"${name}","deposits":"x"}`, [400]],
      ['10,001 deposits', `{"name":"${name}","deposits":[${'{},'.repeat(10_000)}{}]}`, [400]],
      ['10,000 deposits that are empty', `{"name":"${name}","deposits":[${'{},'.repeat(9_999)}{}]}`, [400]],
      ['200,000 values', `{"name":"${name}","deposits":[${'0,'.repeat(199_999)}0]}`, [400]],
      ['a bad amount in its last row', spoilt((text) => text.replace(/"amount":1\b/, `"amount":${draw(random, badAmounts)}`)), [400]],
      ['a row of another type', spoilt(() => draw(random, jsonValues)), [400]],
      ['the same row twice', good.replace(/"externalId":"[^"]+"/g, `"externalId":"${random.uuid()}"`), [400]],
      ['a name of 201 letters', good.replace(name, 'n'.repeat(201)), [400]],
      ['a name with NUL', good.replace(name, '\\u0000'), [400]],
      ['a name that is empty', good.replace(name, ' '), [400]],
      ['6 MB of spaces', `${good}${' '.repeat(6 * 1024 * 1024)}`, [413]],
      ['an address that is none', good.replace(arsenal.webhookUrl, 'file:///etc/passwd'), [400]],
    ])
    return post(what, arsenal, { target: 'batches', body, key }, statuses, {
      makes: [{ table: 'batches', mark: name }],
      overload: 'bodies above 64 KB are refused while the memory of the process is nearly full',
      ...(body.length > 5_000_000 && { silence: 'the service may close before it has read all of it' }),
    })
  },
}

const reusedBatchKeys: CaseMaker = {
  name: 'the key of a batch for the second time',
  make(random, arsenal) {
    const key = random.uuid()
    const name = `attack ${key}`
    const first = { target: 'batches', body: batchText(random, arsenal, { name, count: 2 }), key }
    const isSame = random.chance(0.5)
    const second = isSame ? first : { ...first, body: batchText(random, arsenal, { name, count: 3 }) }
    const attack = twice('its key for the second time', arsenal, [first, second], isSame ? 200 : 422, key)
    const { starts: _, ...rest } = attack
    return { ...rest, makes: [{ table: 'batches', mark: name }] }
  },
}

export const v2Batches: Family = { name: 'v2-batches', weight: 3, makers: [batches, wrongBatches, wrongBatches, reusedBatchKeys] }
