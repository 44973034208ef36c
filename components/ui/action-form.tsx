'use client'

import { type FormHTMLAttributes, useState } from 'react'
import { toast } from './overlay/toast.tsx'
import { useT } from './translations.tsx'
import { useIsReady } from './use-is-ready.ts'

type Props = Omit<FormHTMLAttributes<HTMLFormElement>, 'action' | 'onSubmit'> & { action: (form: FormData) => Promise<void> }

/**
 * The form of a server action that returns nothing. It works without a script. With one, a press shows at once, and if the service cannot be
 * reached the page stays and says so: an action that throws would take the whole page down.
 */
export function ActionForm({ action, children, ...rest }: Props) {
  const t = useT()
  const isReady = useIsReady()
  const [isBusy, setIsBusy] = useState(false)
  async function send(form: FormData) {
    try {
      await action(form)
    } catch (error) {
      // Next redirects by throwing.
      if (error instanceof Error && 'digest' in error) throw error
      toast(t('action.offline'), 'bad')
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <form {...rest} action={isReady ? send : action} onSubmit={() => setIsBusy(true)}>
      {children}
      {isBusy && <span data-leaving hidden />}
    </form>
  )
}
