import { CopyButton } from '#components/ui/copy-button.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import { indentJson } from '#lib/text/indent-json.ts'
import type { ExampleAnswer } from '#server/back-office/run-example.ts'

type Props = { answer: ExampleAnswer; title: string; application: string }

/** The answer of the API to a run: status, time, body, and where its transactions can be followed. */
export function RunAnswer({ answer: { status, durationMs, body, retryAfter, transactionIds, customerPage }, title, application }: Props) {
  const t = useT()
  const label = t('run.answerOf', { title })
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={status < 400 ? 'ok' : 'bad'}>{status}</Badge>
        <span className="text-second text-quiet tabular">{t('run.time', { count: durationMs })}</span>
        {retryAfter !== null && <span className="text-second text-ink-2">{t('run.retryAfter', { count: Number(retryAfter) })}</span>}
      </p>
      <figure className="overflow-hidden rounded-md border border-line bg-sunken">
        <figcaption className="flex min-h-9 items-center justify-between gap-2 border-b border-line pr-2 pl-3 text-second font-medium text-ink-2">
          {t('docs.response')}
          <CopyButton text={body} label={label} />
        </figcaption>
        <section
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="max-h-96 overflow-auto -outline-offset-2"
        >
          <pre translate="no" className="w-max min-w-full p-3 font-mono text-second leading-5 text-ink">
            {indentJson(body)}
          </pre>
        </section>
      </figure>
      {customerPage !== null && (
        <a href={customerPage} target="_blank" rel="noreferrer" className="justify-self-start text-second text-accent underline">
          {t('run.customerPage')}
        </a>
      )}
      {transactionIds.length > 0 && (
        <ul className="grid gap-1 text-second">
          {transactionIds.map((transactionId) => (
            <li key={transactionId} className="flex flex-wrap gap-x-3 gap-y-1">
              <a href={paths.transaction(application, transactionId)} className="text-accent underline wrap-anywhere">
                {t('run.transaction', { id: transactionId })}
              </a>
              <a href={paths.calls(application, { q: transactionId })} className="text-accent underline">
                {t('run.inspector')}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
