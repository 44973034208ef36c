'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { callAction } from '#lib/action-result.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { SYNCHRONISED_AT_ONCE, type SynchroniseOutcome } from '#lib/synchronise-outcome.ts'
import type { TransactionRow } from '#lib/transaction-row.ts'
import { synchroniseSeveral } from '../actions.ts'

/** Transactions in one run, so that it ends while somebody waits for it. */
export const SYNCHRONISED_MAX = 50

/** `no_answer`: it was sent and nothing came back. `refused`: the service refused the request. `not_sent`: the run ended before it. */
export type RunState = SynchroniseOutcome | 'waiting' | 'querying' | 'no_answer' | 'refused' | 'not_sent'

export type RunLine = { row: TransactionRow; state: RunState }

/** Synchronises transactions a few at a time. Each line shows an outcome only once the service has answered for it. */
export function useSynchroniseRun(application: string) {
  const queryClient = useQueryClient()
  const [lines, setLines] = useState<readonly RunLine[] | null>(null)
  const runs = useRef(0)

  async function start(rows: readonly TransactionRow[]) {
    const run = ++runs.current
    let shown: readonly RunLine[] = rows.map((row) => ({ row, state: 'waiting' }))
    const show = (stateOf: (line: RunLine) => RunState) => {
      shown = shown.map((line) => ({ ...line, state: stateOf(line) }))
      if (runs.current === run) setLines(shown)
    }
    setLines(shown)
    for (let begin = 0; begin < rows.length && runs.current === run; begin += SYNCHRONISED_AT_ONCE) {
      const ids = rows.slice(begin, begin + SYNCHRONISED_AT_ONCE).map((row) => row.transactionId)
      const isSent = ({ row }: RunLine) => ids.includes(row.transactionId)
      show((line) => (isSent(line) ? 'querying' : line.state))
      const result = await callAction(() => synchroniseSeveral(application, { transactionIds: ids }))
      if (!result.ok) {
        const failed = result.error.code === 'offline' ? 'no_answer' : 'refused'
        show((line) => (isSent(line) ? failed : line.state === 'waiting' ? 'not_sent' : line.state))
        break
      }
      show((line) => result.value[line.row.transactionId] ?? line.state)
    }
    await queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
  }

  /** What was sent is still recorded by the service; the rest is not sent. */
  function stop() {
    runs.current++
    setLines(null)
  }

  return { lines, start, stop }
}
