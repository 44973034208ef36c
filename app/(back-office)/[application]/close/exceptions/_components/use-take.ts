import { useAction } from '#components/form/use-action.tsx'
import { useT } from '#components/ui/translations.tsx'
import { queryKeys } from '#lib/pages/queries.ts'
import type { ExceptionRef } from '#lib/reconciliation/exceptions.ts'
import { takeException } from '../actions.ts'

/** The words for an exception that is closed, or for a payment whose outcome became known before anybody worked on it. */
export function goneWords(about: ExceptionRef) {
  return 'transactionId' in about
    ? ({ closed: 'unconfirmed.refused.known', not_found: 'unconfirmed.refused.known' } as const)
    : ({ closed: 'exceptions.refused.closed' } as const)
}

/** Makes the person the owner of an exception, from a list and from its page. */
export function useTake(application: string, isPayment = false) {
  const t = useT()
  const words = isPayment ? goneWords({ transactionId: '' }) : goneWords({ exceptionId: '' })
  return useAction((about: ExceptionRef) => takeException(application, about), {
    words: { ...words, taken: isPayment ? 'unconfirmed.refused.taken' : 'exceptions.refused.taken' },
    invalidates: [queryKeys.transactions(application)],
    refreshes: 'answered',
    said: () => t('exceptions.taken'),
  })
}
