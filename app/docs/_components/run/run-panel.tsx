import { type FormEvent, useId, useRef, useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import { Button } from '#components/ui/button.tsx'
import { TextArea, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { RunnableExample, RunVariable } from '#lib/partner/reference.ts'
import { callAction, refusalText } from '#lib/result.ts'
import type { ExampleAnswer } from '#server/back-office/run-example.ts'
import { runDocsExample } from '../../actions.ts'
import { rememberId, useRememberedIds } from './remembered-ids.ts'
import { RunAnswer } from './run-answer.tsx'

export type RunPanelProps = { title: string; example: RunnableExample; application: { slug: string; name: string } }

const REFUSALS = { no_api_user: 'run.noApiUser', not_found: 'run.notFound', invalid: 'run.invalid' } as const
const ROWS_MAX = 16

/** The button that runs an example, what the reader may change before, and the answer. */
export function RunPanel({ title, example, application }: RunPanelProps) {
  const t = useT()
  const id = useId()
  const [body, setBody] = useState(example.body)
  const { run, isPending, answer, problem } = useRun(application.slug)
  const { values, setTyped } = useVariables(application.slug)
  function submit(event: FormEvent) {
    event.preventDefault()
    const variables = Object.fromEntries(example.variables.map((variable) => [variable, values(variable).trim()]))
    run({ operation: example.operation, body, variables })
  }
  return (
    <section aria-label={t('run.of', { title })} className="mt-2 rounded-md border border-line p-3">
      <ScriptForm noValidate onSubmit={submit} className="grid gap-3">
        {example.variables.map((variable) => (
          <TextField
            key={variable}
            id={`${id}-${variable}`}
            label={variable}
            hint={t('run.idHint')}
            value={values(variable)}
            maxLength={36}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setTyped(variable, target.value)}
            className="font-mono"
          />
        ))}
        {body !== null && (
          <details>
            <summary className="cursor-pointer text-second font-medium text-ink-2">{t('run.change')}</summary>
            <div className="mt-2">
              <TextArea
                id={`${id}-body`}
                label={t('docs.body')}
                hint={t('run.bodyHint')}
                value={body}
                maxLength={65_536}
                rows={Math.min(ROWS_MAX, body.split('\n').length + 1)}
                spellCheck={false}
                onChange={({ target }) => setBody(target.value)}
                className="font-mono"
              />
            </div>
          </details>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button type="submit" variant="primary" size="small" isBusy={isPending}>
            {t('run.run')}
          </Button>
          <span className="text-second text-quiet">{t('run.as', { application: application.name })}</span>
        </div>
      </ScriptForm>
      <div aria-live="polite" className="grid gap-2 not-empty:mt-3">
        {problem && <ErrorNotice error={problem} />}
        {answer && <RunAnswer answer={answer} title={title} application={application.slug} />}
      </div>
    </section>
  )
}

type Run = {
  run: (input: Parameters<typeof runDocsExample>[1]) => void
  isPending: boolean
  answer: ExampleAnswer | null
  problem: string | null
}

/** One run at a time. A run without an answer may have arrived, so nothing repeats it. */
function useRun(application: string): Run {
  const t = useT()
  const [state, setState] = useState<Pick<Run, 'answer' | 'problem'>>({ answer: null, problem: null })
  const [isPending, setIsPending] = useState(false)
  // A second press arrives before the button is shown as busy.
  const isRunning = useRef(false)
  async function start(input: Parameters<typeof runDocsExample>[1]) {
    if (isRunning.current) return
    isRunning.current = true
    setIsPending(true)
    setState({ answer: null, problem: null })
    try {
      const result = await callAction(() => runDocsExample(application, input))
      if (result.ok) {
        const [made] = result.value.transactionIds
        if (made !== undefined) rememberId(application, 'TRANSACTION_ID', made)
        const batch = /"batchId"\s*:\s*"([0-9a-f-]{36})"/.exec(result.value.body)?.[1]
        if (batch !== undefined) rememberId(application, 'BATCH_ID', batch)
        setState({ answer: result.value, problem: null })
      } else setState({ answer: null, problem: refusalText(t, result.error.code, REFUSALS) })
    } finally {
      isRunning.current = false
      setIsPending(false)
    }
  }
  return { ...state, isPending, run: (input) => void start(input) }
}

/** Returns the ids that the reader typed; until then, those of the last run of this tab. */
function useVariables(application: string) {
  const remembered = useRememberedIds(application)
  const [typed, setTyped] = useState<Partial<Record<RunVariable, string>>>({})
  return {
    values: (variable: RunVariable) => typed[variable] ?? remembered[variable] ?? '',
    setTyped: (variable: RunVariable, value: string) => setTyped((before) => ({ ...before, [variable]: value })),
  }
}
