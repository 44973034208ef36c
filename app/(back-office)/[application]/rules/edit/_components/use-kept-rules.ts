import { useEffect, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { z } from 'zod'
import { RULE_MEASURES, RULES_MAX } from '#lib/approval-policy.ts'
import { CURRENCIES } from '#lib/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES } from '#lib/operators.ts'
import { TRANSACTION_SOURCES, TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import type { RuleForm } from './use-rule-form.ts'

/** What a tab keeps, as it was typed: nothing in it has to be right, but the form must be able to show it. */
const keptSchema = z.object({
  rules: z
    .array(
      z.object({
        name: z.string(),
        types: z.array(z.enum(TRANSACTION_TYPES)),
        sources: z.array(z.enum(TRANSACTION_SOURCES)),
        countries: z.array(z.enum(COUNTRY_NAMES)),
        operators: z.array(z.enum(OPERATOR_CODES)),
        measure: z.enum(RULE_MEASURES),
        amount: z.string(),
        currency: z.enum(['', ...CURRENCIES]),
        firstTimeOnly: z.boolean(),
        first: z.string(),
        second: z.string(),
        needsCode: z.boolean(),
        apiMayDecide: z.boolean(),
        expiresInHours: z.string(),
      }),
    )
    .max(RULES_MAX),
})

/**
 * Keeps what was typed in this tab over a reload, until it is saved or discarded. It is only a copy of unsaved work: what takes effect is
 * what two administrators save and confirm.
 */
export function useKeptRules(form: UseFormReturn<RuleForm>, storageKey: string) {
  const [isKept, setIsKept] = useState(false)
  useEffect(() => {
    const kept = readKept(storageKey)
    setIsKept(kept !== undefined)
    if (kept) form.reset(kept, { keepDefaultValues: true })
    const { unsubscribe } = form.watch((values) => sessionStorage.setItem(storageKey, JSON.stringify(values)))
    return unsubscribe
  }, [form, storageKey])
  function forget() {
    sessionStorage.removeItem(storageKey)
    setIsKept(false)
  }
  return {
    /** Whether the form shows what was typed before the page was loaded. */
    isKept,
    forget,
    discard() {
      form.reset()
      forget()
    },
  }
}

function readKept(storageKey: string): RuleForm | undefined {
  const text = sessionStorage.getItem(storageKey)
  if (text === null) return undefined
  const kept = keptSchema.safeParse(JSON.parse(text))
  return kept.success ? kept.data : undefined
}
