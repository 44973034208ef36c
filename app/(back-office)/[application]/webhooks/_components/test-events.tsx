import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/badge.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { WebhookTestDto } from '#lib/webhook-portal.ts'
import { diagnosisText } from './diagnosis-text.ts'
import { TestForm } from './test-form.tsx'

type Props = { t: Translate; locale: Locale; application: string; tests: readonly WebhookTestDto[]; url: string }

/** Sends a test event and shows how the newest ones ended. */
export function TestEvents({ t, locale, application, tests, url }: Props) {
  return (
    <section aria-labelledby="tests" className="mt-8">
      <h2 id="tests">{t('webhooks.test')}</h2>
      <p className="max-w-3xl text-ink-2">{t('webhooks.testText')}</p>
      <TestForm application={application} url={url} />
      <ul aria-label={t('webhooks.testResults')} className="mt-3 grid gap-2">
        {tests.map(({ testId, url: shown, requestedBy, requestedAt, result }) => (
          <li key={testId} className="rounded-lg border border-line bg-surface px-4 py-3">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <Badge tone={result?.outcome === 'delivered' ? 'ok' : result ? 'bad' : 'run'} hasDot>
                {t(
                  result === null
                    ? 'webhooks.testUnderWay'
                    : result.outcome === 'delivered'
                      ? 'webhooks.stateIs.delivered'
                      : 'webhooks.testFailed',
                )}
              </Badge>
              <span className="wrap-anywhere">{shown}</span>
            </div>
            {result && <p className="mt-1">{diagnosisText(t, locale, result)}</p>}
            {result?.responseStart && <p className="mt-1 text-second text-ink-2 wrap-anywhere">{result.responseStart}</p>}
            <p className="mt-1 text-second text-quiet">
              <bdi>{requestedBy}</bdi> · <TimeText at={requestedAt} />
              {result && ` · ${t('webhooks.total', { count: result.durationMs })}`}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
