import type { z } from 'zod'
import type { DayList, DayListOutcome } from '../connector.ts'
import { LIST_BYTES_MAX, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import { dayListSchema } from './messages.ts'
import type { WaveClient } from './wave-client.ts'

type Item = z.infer<typeof dayListSchema>['items'][number]

/** In the order of the header of Wave's list among the formats of statements. */
const HEADER = [
  'timestamp',
  'transaction_id',
  'transaction_type',
  'is_reversal',
  'amount',
  'fee',
  'balance',
  'currency',
  'counterparty_mobile',
  'client_reference',
] as const satisfies readonly (keyof Item)[]

/** The movements in the wallet on a day: `GET /v1/transactions`. Its key needs the permission to read balances. */
export function createDayList(client: WaveClient): DayList {
  return { header: HEADER, read: (day, page) => readPage(client, day, page) }
}

async function readPage(client: WaveClient, day: string, page: string | undefined): Promise<DayListOutcome> {
  const query = new URLSearchParams({ date: day, ...(page !== undefined && { after: page }) })
  const outcome = await client.get(`/v1/transactions?${query}`, { answerBytesMax: LIST_BYTES_MAX })
  const list = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, dayListSchema) : undefined
  const next = list?.page_info.has_next_page ? list.page_info.end_cursor : undefined
  // A list of another day, or one that says it goes on and not where, would be half of a statement.
  if (list?.date !== day || next === null || (list.page_info.has_next_page && next === undefined)) return unknownOutcome(outcome)
  return { kind: 'lines', lines: list.items.map(toCells), next, exchange: { httpStatus: 200, answer: '' } }
}

function toCells(item: Item): string[] {
  return HEADER.map((name) => String(item[name] ?? ''))
}
