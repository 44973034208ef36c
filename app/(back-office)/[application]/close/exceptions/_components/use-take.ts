import { useAction } from '#components/form/use-action.tsx'
import { useT } from '#components/ui/translations.tsx'
import { takeException } from '../actions.ts'

/** Makes the person the owner of an exception, from the list and from its page. */
export function useTake(application: string) {
  const t = useT()
  return useAction((exceptionId: string) => takeException(application, { exceptionId }), {
    words: { closed: 'exceptions.refused.closed', taken: 'exceptions.refused.taken' },
    refreshes: 'answered',
    said: () => t('exceptions.taken'),
  })
}
