import type { ComponentProps } from 'react'
import { useIsReady } from '#components/ui/use-is-ready.ts'

/**
 * A form whose `onSubmit` sends it. Its fields and buttons are disabled until the script is there: the browser would send the form itself, as an
 * address with everything that was typed in it, and nothing would be decided or stored.
 */
export function ScriptForm({ className = '', children, ...form }: ComponentProps<'form'>) {
  const isReady = useIsReady()
  return (
    <form {...form}>
      <fieldset disabled={!isReady} className={`min-w-0 ${className}`}>
        {children}
      </fieldset>
    </form>
  )
}
