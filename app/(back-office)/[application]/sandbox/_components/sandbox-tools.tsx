'use client'

import { type FormEvent, useState } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import { isOperatorCode, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { ENDING_NAMES, SIMULATED_ENDINGS } from '#lib/partner/partner-requests.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import type { TestTransactionInput } from '#lib/schemas/sandbox-tools.ts'
import { startTest } from '../actions.ts'

const REFUSALS = { no_api_user: 'sandbox.noApiUser', refused: 'sandbox.refused', overloaded: 'sandbox.overloaded' } as const

/** The form of a test transaction: what happens to it is chosen from a list. */
export function TestTransactionForm({ application, webhookUrl }: { application: string; webhookUrl: string }) {
  const t = useT()
  const [operator, setOperator] = useState<OperatorCode>('MOMOCM')
  const { run, isPending, error, value } = useAction((input: TestTransactionInput) => startTest(application, input), { words: REFUSALS })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    // The server reads the fields with its schema: what is not in the lists is refused there.
    run(Object.fromEntries(new FormData(event.currentTarget)) as TestTransactionInput)
  }
  return (
    <ScriptForm noValidate onSubmit={submit} className="mt-3 grid max-w-3xl items-start gap-3 sm:grid-cols-2">
      <Select id="test-type" name="type" label={t('sandbox.type')}>
        {TRANSACTION_TYPES.map((type) => (
          <option key={type} value={type}>
            {t(`type.${type}`)}
          </option>
        ))}
      </Select>
      <Select
        id="test-operator"
        name="operator"
        label={t('sandbox.operator')}
        value={operator}
        onChange={({ target }) => isOperatorCode(target.value) && setOperator(target.value)}
      >
        <OperatorOptions />
      </Select>
      <Select id="test-ending" name="ending" label={t('sandbox.outcome')} hint={t('sandbox.outcomeHint')}>
        {SIMULATED_ENDINGS.map((ending) => (
          <option key={ending} value={ending}>
            {ending} · {t(`sandbox.ending.${ENDING_NAMES[ending]}`)}
          </option>
        ))}
      </Select>
      <TextField
        id="test-amount"
        name="amount"
        inputMode="decimal"
        label={t('sandbox.amount', { currency: OPERATORS[operator].country.currency })}
        defaultValue="5000"
        maxLength={13}
      />
      <div className="sm:col-span-2">
        <TextField
          id="test-webhook"
          name="webhookUrl"
          type="url"
          label={t('sandbox.webhookUrl')}
          defaultValue={webhookUrl}
          maxLength={2_048}
        />
      </div>
      <div className="grid justify-items-start gap-3 sm:col-span-2">
        {error && <ErrorNotice error={error} />}
        <Button type="submit" variant="primary" isBusy={isPending}>
          {t('sandbox.start')}
        </Button>
        {value && (
          <Notice tone="ok">
            {t('sandbox.started')}{' '}
            <Link href={paths.transaction(application, value.transactionId)} className="underline">
              {value.transactionId}
            </Link>
            {value.customerPage !== null && (
              <>
                {' · '}
                <a href={value.customerPage} target="_blank" rel="noreferrer" className="underline">
                  {t('sandbox.customerPage')}
                </a>
              </>
            )}
          </Notice>
        )}
      </div>
    </ScriptForm>
  )
}
