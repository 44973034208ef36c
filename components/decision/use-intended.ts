import { useQuery } from '@tanstack/react-query'
import { useIsReady } from '#components/ui/use-is-ready.ts'
import type { IntendedDecision } from '#lib/approvals/intended.ts'
import { queries } from '#lib/pages/queries.ts'

/** How soon after it was due the end of a validation is asked for, and how often from then on. */
const ASKED_AGAIN_MS = 700

const NOTHING: readonly IntendedDecision[] = []

/** Returns the validations of this person that can be undone or ended lately; read again as soon as something takes effect. Only for people who decide: others are refused. */
export function useIntended(application: string, isEnabled: boolean): { intended: readonly IntendedDecision[]; readAtMs: number } {
  const { data, dataUpdatedAt } = useQuery({
    ...queries.intended(application),
    enabled: isEnabled,
    refetchInterval({ state: { data: read, dataUpdatedAt: readAtMs } }) {
      const waiting = read?.filter(isWaiting) ?? []
      if (waiting.length === 0) return false
      const nextMs = Math.min(...waiting.map((one) => one.dueInMs)) - (Date.now() - readAtMs)
      return Math.max(0, nextMs) + ASKED_AGAIN_MS
    },
  })
  // The frame may have read it before a part of the page is hydrated, whose markup from the server knows nothing of it.
  const isReady = useIsReady()
  return { intended: (isReady && data) || NOTHING, readAtMs: dataUpdatedAt }
}

/** Whether it can still be undone. */
export function isWaiting({ state }: IntendedDecision): boolean {
  return state === 'waiting'
}
