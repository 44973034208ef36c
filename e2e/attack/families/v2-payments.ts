import type { CaseMaker, Family, StatusRule } from '#e2e/attack/case.ts'
import { MARKED_NUMBERS } from '#e2e/attack/oracle/marked-rows.ts'
import { badAmounts, documents, draw, jsonValues, noIds } from '#e2e/attack/values.ts'
import { TRANSFER_FIELD_NAMES, transfer } from './transfers.ts'
import { post, twice } from './v2-requests.ts'

/** The key is the externalId, so the body need not name it. */
const KEYED_FIELDS = TRANSFER_FIELD_NAMES.filter((name) => name !== 'externalId')

function keyedText(fields: ReturnType<typeof transfer>): string {
  return `{${KEYED_FIELDS.map((name) => `"${name}":${fields[name]}`).join(',')}}`
}

const keyed: CaseMaker = {
  name: 'a payment with a key, as it should be',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const key = random.pick([fields.id, `"${fields.id}"`, fields.id.toUpperCase()])
    const target = random.pick(['collects', 'deposits'])
    return post('a good one', arsenal, { target, body: keyedText(fields), key }, [200], { starts: [fields.id] })
  },
}

const badKeys: CaseMaker = {
  name: 'keys that are none',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const key = random.chance(0.2) ? undefined : Buffer.from(draw(random, noIds).replaceAll(/[\r\n\0]/g, '')).toString('latin1')
    const target = random.pick(['collects', 'deposits'])
    return post(`the key ${key}`, arsenal, { target, body: keyedText(fields), key }, [400])
  },
}

const reusedKeys: CaseMaker = {
  name: 'a key for the second time',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const target = random.pick(['collects', 'deposits'])
    const first = { target, body: keyedText(fields), key: fields.id }
    const changed = random.pick([
      first,
      { ...first, body: keyedText({ ...fields, amount: '501' }) },
      { ...first, body: keyedText({ ...fields, phoneNumber: '"237677209341"' }) },
      { ...first, body: keyedText({ ...fields, customerName: '"Somebody Else"' }) },
      { ...first, target: target === 'collects' ? 'deposits' : 'collects' },
    ])
    return twice('its key for the second time', arsenal, [first, changed], changed === first ? 200 : 422, fields.id)
  },
}

const badFields: CaseMaker = {
  name: 'a payment with a field of another kind',
  make(random, arsenal) {
    const field = random.pick(KEYED_FIELDS)
    const value = draw(random, field === 'amount' ? badAmounts : jsonValues)
    const fields = transfer(random, arsenal, { [field]: value })
    const mayBeRight = field === 'customerName' && typeof JSON.parse(value) === 'string'
    const target = random.pick(['collects', 'deposits'])
    return post(
      `${field} is ${value.slice(0, 60)}`,
      arsenal,
      { target, body: keyedText(fields), key: fields.id },
      mayBeRight ? [200, 400] : [400],
      {
        starts: [fields.id],
      },
    )
  },
}

const badDocuments: CaseMaker = {
  name: 'documents that are none of version 2',
  make(random, arsenal) {
    const body = draw(random, documents)
    const target = random.pick([
      'collects',
      'deposits',
      'batches',
      'account-checks',
      `transactions/${arsenal.program.holdings.depositId}/refunds`,
    ])
    return post(`the document ${JSON.stringify(body).slice(0, 60)}`, arsenal, { target, body, key: random.uuid() }, [400])
  },
}

const refunds: CaseMaker = {
  name: 'refunds',
  make(random, arsenal) {
    const { collectIds, depositId } = arsenal.program.holdings
    const externalId = random.uuid()
    const [collectId, statuses] = random.pick<readonly [string, readonly StatusRule[]]>([
      // Each refund changes how much is left of it, and whether its operator takes the rest.
      [random.pick(collectIds), [200, 400]],
      [depositId, [400]],
      [random.uuid(), [404]],
      ['x', [404]],
    ])
    const isGood = random.chance(0.5)
    const amount = isGood ? '100' : draw(random, badAmounts)
    const body = `{"externalId":"${externalId}","amount":${amount},"webhookUrl":${JSON.stringify(arsenal.webhookUrl)}}`
    // Whether it exists is found out after the body was read.
    const expected = isGood ? statuses : statuses.includes(404) ? [400, 404] : [400]
    return post(`${amount.slice(0, 40)} of it`, arsenal, { target: `transactions/${collectId}/refunds`, body }, expected, {
      starts: [externalId],
    })
  },
}

const cancellations: CaseMaker = {
  name: 'cancellations of what has ended or is nothing',
  make(random, arsenal) {
    const { collectIds, depositId, examples } = arsenal.program.holdings
    const [target, statuses] = random.pick<readonly [string, readonly StatusRule[]]>([
      [`transactions/${depositId}/cancel`, [400, 403]],
      [`transactions/${collectIds[0]}/cancel`, [400, 403]],
      [`transactions/${examples.waitingId}/cancel`, [403]],
      [`transactions/${random.uuid()}/cancel`, [404]],
      [`transactions/x/cancel`, [404]],
      [`batches/${random.uuid()}/cancel`, [404]],
      // A person made it.
      [`batches/${examples.waitingBatchId}/cancel`, [404]],
      [`batches/x/cancel`, [404]],
    ])
    return post('cancelled', arsenal, { target, body: random.pick(['', '{}', 'x']) }, statuses)
  },
}

const checks: CaseMaker = {
  name: 'account checks',
  make(random, arsenal) {
    const isGood = random.chance(0.4)
    const phoneNumber = isGood
      ? `${MARKED_NUMBERS}${random.between(100, 999)}${random.between(100, 899)}`
      : JSON.parse(draw(random, jsonValues).replace('1e400', '1'))
    const body = JSON.stringify({ transferMethod: random.pick(['MOMOCM', 'OMCM']), phoneNumber })
    return post(
      `of ${String(JSON.stringify(phoneNumber)).slice(0, 40)}`,
      arsenal,
      { target: 'account-checks', body },
      isGood ? [200, 403, 429] : [400],
      {
        ...(isGood && { makes: [{ table: 'account_checks', mark: phoneNumber }] }),
      },
    )
  },
}

export const v2Payments: Family = {
  name: 'v2-payments',
  weight: 6,
  makers: [keyed, badKeys, reusedKeys, badFields, badFields, badDocuments, refunds, cancellations, checks],
}
