import { notFound } from 'next/navigation'
import { z } from 'zod'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Facts } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { callAsCurl } from '#lib/partner/call-as-curl.ts'
import type { ApiCallDetailDto } from '#lib/partner/partner-requests.ts'
import { indentJson } from '#lib/text/indent-json.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { findCall } from '#server/partner-auth/recent-calls-store.ts'
import { CodeBlock } from '../../../_components/code-block.tsx'
import { PageContent, type PageProps, titled } from '../../../_components/page-content.tsx'

export const generateMetadata = titled('calls.one')

/** One call of the partner's program: request, answer, the reason of its refusal, its transactions, and the command that sends it again. */
export default async function CallPage({ params }: PageProps<'requestId'>) {
  const { application, requestId } = await params
  const actor = await requireActor(application, 'sandbox:use')
  const { config, pool } = backOfficeRuntime()
  const isId = config.isSandbox && z.uuid().safeParse(requestId).success
  const call = isId ? await findCall(pool, actor.applicationId, requestId) : undefined
  if (!call) return notFound()
  const t = await getT()
  const { method, path, query, cause, message, status } = call
  return (
    <PageContent words={[]}>
      <p className="no-print mb-2">
        <Link href={paths.calls(application)} className="text-accent underline">
          {t('calls.back')}
        </Link>
      </p>
      <PageHeader
        title={t('calls.one')}
        lead={
          <span className="wrap-anywhere" translate="no">
            {method} {query === '' ? path : `${path}?${query}`}
          </span>
        }
      />
      {status >= 400 && (cause ?? message) !== null && (
        <div className="mt-4 max-w-3xl">
          <Notice tone="wait">
            {cause && <p className="font-medium">{t(`credentials.cause.${cause}`)}</p>}
            {message && (
              <p lang="en" className="wrap-anywhere">
                {message}
              </p>
            )}
          </Notice>
        </div>
      )}
      <div className="mt-4">
        <CallFacts t={t} application={application} call={call} />
      </div>
      <div className="mt-6 grid gap-6 lg:grid-cols-2">
        <Side t={t} of="request" side={call.request} />
        <Side t={t} of="answer" side={call.answer} />
      </div>
      <Replay t={t} call={call} />
    </PageContent>
  )
}

type CallProps = { t: Translate; call: ApiCallDetailDto }

function CallFacts({ t, application, call }: CallProps & { application: string }) {
  const { at, status, durationMs, keyPrefix, address, transactions } = call
  return (
    <Facts
      facts={[
        { name: t('calls.at'), value: <TimeText at={at} style="full" /> },
        { name: t('calls.status'), value: <Badge tone={status < 400 ? 'ok' : 'bad'}>{status}</Badge> },
        { name: t('calls.duration'), value: t('calls.ms', { count: durationMs }) },
        { name: t('calls.key'), value: keyPrefix === null ? t('calls.noKey') : `${keyPrefix}…` },
        { name: t('calls.from'), value: address },
        ...(transactions.length === 0
          ? []
          : [
              {
                name: t('calls.transactions', { count: transactions.length }),
                value: (
                  <ul>
                    {transactions.map(({ transactionId, status: state }) => (
                      <li key={transactionId}>
                        <Link href={paths.transaction(application, transactionId)} className="text-accent underline wrap-anywhere">
                          {transactionId}
                        </Link>{' '}
                        · {t(`status.${state}`)}
                      </li>
                    ))}
                  </ul>
                ),
              },
            ]),
      ]}
    />
  )
}

type SideProps = { t: Translate; of: 'request' | 'answer'; side: ApiCallDetailDto['request'] }

/** The headers and the body of one side. */
function Side({ t, of, side: { headers, body, bytes, isCut } }: SideProps) {
  return (
    <section aria-labelledby={of} className="min-w-0">
      <h2 id={of}>{t(`calls.${of}`)}</h2>
      <div className="mt-2 grid gap-2">
        {headers !== '' && <CodeBlock label={t(`calls.${of}Headers`)} text={headers} wraps />}
        {body === '' ? (
          <p className="text-quiet">{t(bytes === 0 ? `calls.${of}Empty` : 'calls.notKept')}</p>
        ) : (
          <CodeBlock label={t(`calls.${of}Body`)} text={indentJson(body)} wraps />
        )}
        {isCut && <p className="text-second text-quiet">{t('calls.cut', { count: bytes })}</p>}
      </div>
    </section>
  )
}

/** The command that sends the call again, or why there is none. */
function Replay({ t, call }: CallProps) {
  const command = callAsCurl(call)
  return (
    <div className="mt-6">
      <h2>{t('calls.replay')}</h2>
      <p className="max-w-3xl text-ink-2">{t(command === null ? 'calls.noReplay' : 'calls.replayText')}</p>
      {command !== null && (
        <div className="mt-2">
          <CodeBlock label={t('calls.replay')} text={command} wraps />
        </div>
      )}
    </div>
  )
}
