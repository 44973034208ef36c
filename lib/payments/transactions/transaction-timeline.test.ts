import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiCallDto } from '#lib/partner/partner-requests.ts'
import type { EventDto, OperatorAttemptDto } from './transaction-dto.ts'
import { timelineOf } from './transaction-timeline.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 8, minute)).toISOString()

function attempt(number: number, outcome: OperatorAttemptDto['outcome'], kind: OperatorAttemptDto['kind'] = 'query'): OperatorAttemptDto {
  return { number, kind, startedAt: at(number), durationMs: 120, outcome, httpStatus: 200, answer: null }
}

function shown(attempts: OperatorAttemptDto[]): string[] {
  return timelineOf({ events: [], decisions: [], attempts, apiCalls: [], webhook: null }).map((item) =>
    item.kind === 'repeated' ? `${item.count} more` : item.kind === 'operator' ? String(item.attempt.number) : item.kind,
  )
}

test('the first and the last of many queries with the same answer, and how many are between', () => {
  const attempts = [attempt(1, 'accepted', 'submit'), ...Array.from({ length: 80 }, (_, index) => attempt(index + 2, 'pending'))]
  assert.deepEqual(shown([...attempts, attempt(90, 'succeeded')]), ['1', '2', '78 more', '81', '90'])
})

test('each query if there are few, and every answer that differs', () => {
  assert.deepEqual(shown([2, 3, 4].map((number) => attempt(number, 'pending'))), ['2', '3', '4'])
  const mixed = [2, 3, 4, 5, 6, 7].map((number) => attempt(number, number % 2 === 0 ? 'pending' : 'unknown'))
  assert.deepEqual(shown(mixed), ['2', '3', '4', '5', '6', '7'])
})

test('events between two queries in their place', () => {
  const event: EventDto = {
    version: 2,
    event: 'approved',
    from: 'PENDING_APPROVAL',
    to: 'PENDING',
    at: at(4),
    actor: { kind: 'system', name: null },
    reason: null,
  }
  const attempts = [2, 3, 5, 6].map((number) => attempt(number, 'pending'))
  const items = timelineOf({ events: [event], decisions: [], attempts, apiCalls: [], webhook: null })
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['operator', 'operator', 'event', 'operator', 'operator'],
  )
})

test('a call of the program before what it caused at the same instant, and equal calls as one item', () => {
  const call = (requestId: string, minute: number, status = 200): ApiCallDto => ({
    ...{ requestId, at: at(minute), method: 'GET', path: '/status', status, cause: null, message: null },
    ...{ durationMs: 3, keyPrefix: null, address: '192.0.2.1' },
  })
  const created: EventDto = {
    ...{ version: 1, event: 'created', from: null, to: 'PENDING', at: at(1), actor: { kind: 'api', name: null }, reason: null },
  }
  const apiCalls = [call('start', 1), ...[3, 4, 5, 6].map((minute) => call(`poll-${minute}`, minute)), call('refused', 7, 400)]
  const items = timelineOf({ events: [created], decisions: [], attempts: [attempt(2, 'accepted', 'submit')], apiCalls, webhook: null })
  assert.deepEqual(
    items.map((item) =>
      item.kind === 'api' ? item.call.requestId : item.kind === 'repeated' ? `${item.count} more of ${item.of}` : item.kind,
    ),
    ['start', 'event', 'operator', 'poll-3', '2 more of api', 'poll-6', 'refused'],
  )
})
