import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { claimAll } from '#server/operators/testing/read-work.ts'
import { type Asked, type ScriptedOperator, sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { createAnswerRecorder } from './work/settle-final-result.ts'

let operator: ScriptedOperator
let harness: OperatorHarness
before(async () => {
  operator = await startScriptedOperator({ submit: (asked) => sayTransfer(asked, 'SUCCESS'), query: ({ response }) => response.destroy() })
  harness = await OperatorHarness.open({
    elsewhere: { OMCM: operator.url, MOMOCM: operator.url },
    callTimeoutMs: 10_000,
    dispatcher: { pollDelaysMs: [600_000], leaseMs: 60_000 },
  })
})
after(async () => {
  await harness.close()
  await operator.close()
})

/** Bytes of a whole answer, written past any server that would refuse to send them. */
function raw(head: string, body: string | Buffer) {
  return ({ response }: Asked): void => {
    const bytes = Buffer.from(body)
    response.socket?.end(
      Buffer.concat([Buffer.from(`${head}\r\ncontent-length: ${bytes.length}\r\ncontent-type: application/json\r\n\r\n`), bytes]),
    )
  }
}

/** A transfer as JSON text, so that escapes arrive as they are written here. */
function says(status: string, more: string) {
  return (asked: Asked): void =>
    raw('HTTP/1.1 200 OK', `{"reference":"${asked.reference}","status":"${status}","context":"x","operatorReference":"R"${more}}`)(asked)
}

type Expected = { state: 'submitted' | 'unconfirmed' } | { status: 'SUCCESS' | 'FAILED'; message?: string }
const GARBAGE: [name: string, answer: (asked: Asked) => void, expected: Expected][] = [
  ['NUL in the reason', says('FAILED', ',"message":"Numéro\\u0000 invalide"'), { status: 'FAILED', message: 'Numéro  invalide' }],
  ['half a surrogate pair in the reason', says('FAILED', ',"message":"a\\ud83d b"'), { status: 'FAILED', message: 'a\uFFFD b' }],
  ['control characters in the reason', says('FAILED', ',"message":"a\\r\\nb\\u001b[31m"'), { status: 'FAILED', message: 'a  b [31m' }],
  ['a reason of nothing but NUL', says('FAILED', ',"message":"\\u0000\\u0000"'), { status: 'FAILED', message: 'Transaction refusée' }],
  ['a reason of 60,000 characters', says('FAILED', `,"message":"${'é'.repeat(30_000)}"`), { status: 'FAILED', message: 'é'.repeat(300) }],
  ['NUL in the token', says('SUCCESS', ',"token":"a\\u0000b"'), { status: 'SUCCESS' }],
  ['half a surrogate pair in the token', says('SUCCESS', ',"token":"\\udc00"'), { status: 'SUCCESS' }],
  ['a token of 60,000 characters', says('SUCCESS', `,"token":"${'t'.repeat(60_000)}"`), { status: 'SUCCESS' }],
  ['NUL in the operator’s reference', says('PENDING', ',"operatorReference":"\\u0000"'), { state: 'submitted' }],
  ['names of JavaScript’s own', says('PENDING', ',"__proto__":{"status":"SUCCESS"},"constructor":1'), { state: 'submitted' }],
  ['NUL outside a string', says('SUCCESS', '\0'), { state: 'unconfirmed' }],
  ['a reason that is a number', says('FAILED', ',"message":7'), { state: 'unconfirmed' }],
  [
    'a status that is a list',
    (asked) => raw('HTTP/1.1 200 OK', `{"reference":"${asked.reference}","status":["SUCCESS"]}`)(asked),
    { state: 'unconfirmed' },
  ],
  [
    'another reference',
    raw('HTTP/1.1 200 OK', '{"reference":"other","status":"SUCCESS","context":"x","operatorReference":"R"}'),
    { state: 'unconfirmed' },
  ],
  ['a list thirty thousand levels deep', raw('HTTP/1.1 200 OK', '['.repeat(30_000)), { state: 'unconfirmed' }],
  ['five megabytes', raw('HTTP/1.1 200 OK', Buffer.alloc(5_000_000, 0x20)), { state: 'unconfirmed' }],
  ['bytes that are no UTF-8', raw('HTTP/1.1 200 OK', Buffer.from([0xff, 0xfe, 0x00, 0xc3])), { state: 'unconfirmed' }],
  ['a header of 100,000 characters', raw(`HTTP/1.1 200 OK\r\nx-long: ${'h'.repeat(100_000)}`, '{}'), { state: 'unconfirmed' }],
  ['what is not HTTP', raw('SMTP ready\0\0', ''), { state: 'unconfirmed' }],
  ['two lengths', raw('HTTP/1.1 200 OK\r\ncontent-length: 3', '{}'), { state: 'unconfirmed' }],
  ['a status of HTTP that does not exist', raw('HTTP/1.1 999 What', '{}'), { state: 'unconfirmed' }],
  ['another protocol', raw('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: chat', ''), { state: 'unconfirmed' }],
  ['only provisional answers', raw('HTTP/1.1 103 Early', ''), { state: 'unconfirmed' }],
  ['chunks of nonsense', raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked', 'zz\r\n'), { state: 'unconfirmed' }],
  [
    'a connection that ends in the middle',
    ({ response }) => response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'),
    { state: 'unconfirmed' },
  ],
]

async function outcomeOf(item: IntakeItem): Promise<Expected | undefined> {
  const { status, message, finalAt } = await harness.read(item)
  if (finalAt && (status === 'SUCCESS' || status === 'FAILED')) return status === 'FAILED' ? { status, message: message ?? '' } : { status }
  const state = (await harness.workOf(item))?.['state']
  return state === 'submitted' || state === 'unconfirmed' ? { state } : undefined
}

test('every row reaches its state while submissions are answered with every kind of garbage at the same moment', async () => {
  const bad = await Promise.all(GARBAGE.map(() => harness.make({ operator: 'OMCM' })))
  const good = await Promise.all(GARBAGE.map(() => harness.make({ operator: 'OMCM' })))
  const scripts = new Map(bad.map((item, place) => [item.transactionId, GARBAGE[place]?.[1]]))
  const waiting: Asked[] = []
  operator.script.submit = (asked) => {
    waiting.push(asked)
    if (waiting.length < bad.length + good.length) return
    for (const each of waiting) (scripts.get(each.reference) ?? ((one) => sayTransfer(one, 'SUCCESS')))(each)
  }
  harness.startDispatcher()
  for (const item of good) assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  for (const [place, item] of bad.entries()) {
    const [name, , expected] = GARBAGE[place] ?? assert.fail()
    assert.deepEqual(await waitUntil(name, () => outcomeOf(item)), expected, name)
    const { payToken } = await harness.read(item)
    assert.equal(payToken, item.payToken, `${name}: garbage is not passed to partners as a token`)
  }
  const { rows } = await harness.database.pool.query<{ bytes: number }>(
    'select max(octet_length(answer))::integer as bytes from all_operator_attempts',
  )
  assert.ok((rows[0]?.bytes ?? 0) <= 2_048, `${rows[0]?.bytes} bytes of one answer`)
  await waitUntil('the connections of broken calls are closed', async () => operator.sockets.size <= good.length)
})

test('accepted remains while queries are answered with garbage', async () => {
  operator.script = { submit: (asked) => sayTransfer(asked, 'PENDING'), query: () => undefined }
  const items = await Promise.all(GARBAGE.map(() => harness.make({ operator: 'OMCM' })))
  await waitUntil('all are accepted', async () =>
    (await Promise.all(items.map((item) => harness.workOf(item)))).every((work) => work?.['state'] === 'submitted'),
  )
  const scripts = new Map(items.map((item, place) => [item.transactionId, GARBAGE[place]?.[1]]))
  operator.script.query = (asked) => (scripts.get(asked.reference) ?? (({ response }) => response.destroy()))(asked)
  await harness.database.pool.query("update operator_work set next_at = now() where state = 'submitted'")
  for (const [place, item] of items.entries()) {
    const [name, , expected] = GARBAGE[place] ?? assert.fail()
    await waitUntil(name, async () => (await harness.attemptsOf(item)).some((attempt) => /^query /.test(attempt)))
    if ('state' in expected) {
      assert.deepEqual(await outcomeOf(item), { state: 'submitted' }, name)
      assert.equal((await harness.workOf(item))?.['unconfirmed_since'], null, name)
    } else
      assert.deepEqual(
        await waitUntil(name, async () => ((await harness.read(item)).finalAt ? outcomeOf(item) : undefined)),
        expected,
        name,
      )
  }
})

test('an answer that the database refuses is stored without its text, and the others of its batch with theirs', async () => {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
  const items = await Promise.all(Array.from({ length: 6 }, () => harness.make({ operator: 'MOMOCM' })))
  const claimed = await claimAll(harness.database.pool, 'MOMOCM', 10, 60_000)
  const told: string[] = []
  const recorder = createAnswerRecorder({
    pool: harness.database.pool,
    random: () => 0.5,
    pollDelaysMs: [600_000],
    rules: { absenceMs: 1, acceptedAbsenceMs: 1, hintGapMs: 1 },
    onUnrecordable: (transactionId) => told.push(transactionId),
  })
  const bad = items[2]?.transactionId ?? ''
  const recorded = await Promise.all(
    claimed.map((work) => {
      const operatorToken = work.transactionId === bad ? 'a\0b' : 'token'
      const outcome = { kind: 'accepted', operatorToken, exchange: { httpStatus: 202, answer: '{}' } } as const
      return recorder.submit({ work, kind: 'submit', durationMs: 1, outcome })
    }),
  )
  assert.deepEqual(
    recorded,
    items.map(() => ({ isCurrent: true })),
  )
  assert.deepEqual(told, [bad])
  for (const item of items) {
    const work = await harness.workOf(item)
    assert.deepEqual([work?.['state'], work?.['operator_token']], ['submitted', item.transactionId === bad ? null : 'token'])
  }
})

test('connections of calls that timed out are closed', async () => {
  const silent = await startScriptedOperator({ submit: () => undefined, query: () => undefined })
  const hasty = await OperatorHarness.open({ elsewhere: { OMCM: silent.url }, callTimeoutMs: 200, dispatcher: { pollDelaysMs: [600_000] } })
  try {
    const items = await Promise.all(Array.from({ length: 10 }, () => hasty.make({ operator: 'OMCM' })))
    hasty.startDispatcher()
    await waitUntil('all have timed out', async () =>
      (await Promise.all(items.map((item) => hasty.attemptsOf(item)))).every((attempts) => attempts[0] === 'submit unknown'),
    )
    await waitUntil('their connections are closed', async () => silent.sockets.size === 0)
  } finally {
    await hasty.close()
    await silent.close()
  }
})
