import { Table, Td, Th, Tr } from '#components/ui/display/table.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { ENDING_NAMES, type SimulatedEnding } from '#lib/partner/partner-requests.ts'
import type { ReferenceCause, ReferenceOperation, SampleLanguage } from '#lib/partner/reference.ts'
import { CodeBlock, OperationSamples } from '../code-block.tsx'
import { CauseList } from '../operation-page.tsx'
import { GuideSection, List, P, PlaceLink, StatusWord } from '../prose.tsx'

/** Safe retries. */
export function IdempotencyGuide({ t }: { t: Translate }) {
  return (
    <>
      <GuideSection guide="idempotency" id="retry">
        <P>{t('guides.idempotency.retry.a')}</P>
        <List items={[t('guides.idempotency.retry.b'), t('guides.idempotency.retry.c'), t('guides.idempotency.retry.d')]} />
        <P>{t('guides.idempotency.retry.e')}</P>
      </GuideSection>
      <GuideSection guide="idempotency" id="conflict">
        <P>{t('guides.idempotency.conflict.a')}</P>
      </GuideSection>
      <GuideSection guide="idempotency" id="batch">
        <P>{t('guides.idempotency.batch.a')}</P>
      </GuideSection>
      <GuideSection guide="idempotency" id="key">
        <P>{t('guides.idempotency.key.a')}</P>
        <List
          items={[
            t('guides.idempotency.key.b'),
            t('guides.idempotency.key.c'),
            t('guides.idempotency.key.d'),
            t('guides.idempotency.key.e'),
          ]}
        />
        <P>{t('guides.idempotency.key.f')}</P>
      </GuideSection>
    </>
  )
}

type Props = { t: Translate; operations: ReadonlyMap<string, ReferenceOperation>; language: SampleLanguage }

/** The three credentials, and the headers of a call. */
export function AuthenticationGuide({ t, operations, language }: Props) {
  const refresh = operations.get('refreshToken')
  return (
    <>
      <GuideSection guide="authentication" id="credentials">
        <List
          items={[
            t('guides.authentication.credentials.a'),
            t('guides.authentication.credentials.b'),
            t('guides.authentication.credentials.c'),
          ]}
        />
        <P>{t('guides.authentication.credentials.d')}</P>
      </GuideSection>
      <GuideSection guide="authentication" id="headers">
        <P>{t('guides.authentication.headers.a')}</P>
        <CodeBlock label={t('guides.authentication.headers.label')} source={'apiKey: csk_…\napiId: 7d0c…\nAuthorization: Bearer eyJ…'} />
        <List items={[t('guides.authentication.headers.b'), t('guides.authentication.headers.c'), t('guides.authentication.headers.d')]} />
      </GuideSection>
      <GuideSection guide="authentication" id="tokens">
        <P>{t('guides.authentication.tokens.a')}</P>
        {refresh && <OperationSamples operation={refresh} initial={language} />}
        <List
          items={[
            t('guides.authentication.tokens.b'),
            t('guides.authentication.tokens.c'),
            t('guides.authentication.tokens.d'),
            t('guides.authentication.tokens.e'),
          ]}
        />
      </GuideSection>
      <GuideSection guide="authentication" id="scopes">
        <P>{t('guides.authentication.scopes.a')}</P>
        <List
          items={[
            t('guides.authentication.scopes.b'),
            t('guides.authentication.scopes.c'),
            t('guides.authentication.scopes.d'),
            t('guides.authentication.scopes.e'),
            t('guides.authentication.scopes.f'),
            t('guides.authentication.scopes.g'),
          ]}
        />
      </GuideSection>
      <GuideSection guide="authentication" id="addresses">
        <P>{t('guides.authentication.addresses.a')}</P>
      </GuideSection>
      <GuideSection guide="authentication" id="refused">
        <List items={[t('guides.authentication.refused.a'), t('guides.authentication.refused.b')]} />
      </GuideSection>
    </>
  )
}

type ErrorGuideProps = { t: Translate; causes: readonly (ReferenceCause & { key: string; operations: string[] })[] }

const EXAMPLE = {
  timestamp: '2026-03-02T09:14:07.512Z',
  status: 400,
  error: 'Bad Request',
  message: 'phoneNumber is required. webhookUrl is required.',
  path: '/api/v1/transaction/collect',
}

/** Errors by cause. */
export function ErrorGuide({ t, causes }: ErrorGuideProps) {
  return (
    <>
      <GuideSection guide="errors" id="fields">
        <P>{t('guides.errors.fields.a')}</P>
        <CodeBlock label={`${EXAMPLE.status} ${EXAMPLE.error}`} source={JSON.stringify(EXAMPLE, null, 2)} />
        <P>{t('guides.errors.fields.b')}</P>
      </GuideSection>
      <GuideSection guide="errors" id="codes">
        <P>{t('guides.errors.codes.a')}</P>
      </GuideSection>
      <GuideSection guide="errors" id="order">
        <P>{t('guides.errors.order.a')}</P>
        <P>{t('guides.errors.order.b')}</P>
      </GuideSection>
      <GuideSection guide="errors" id="retry">
        <List items={[t('guides.errors.retry.a'), t('guides.errors.retry.b'), t('guides.errors.retry.c'), t('guides.errors.retry.d')]} />
        <P>{t('guides.errors.retry.e')}</P>
      </GuideSection>
      <GuideSection guide="errors" id="causes">
        <P>{t('guides.errors.causes.a')}</P>
        <CauseList t={t} causes={causes} />
      </GuideSection>
    </>
  )
}

type Outcome = { digits: SimulatedEnding; status: 'PENDING' | 'SUCCESS' | 'FAILED'; message: string | null }

/** The results that the simulated operators produce. */
export function SandboxGuide({ t, outcomes }: { t: Translate; outcomes: readonly Outcome[] }) {
  const explain = (digits: SimulatedEnding) => (ENDING_NAMES[digits] === 'success' ? '' : t(`guides.outcome.${ENDING_NAMES[digits]}`))
  return (
    <>
      <GuideSection guide="sandbox" id="numbers">
        <P>{t('guides.sandbox.numbers.a')}</P>
        <div className="overflow-x-auto">
          <Table
            caption={t('guides.sandbox.numbers.title')}
            head={
              <>
                <Th>{t('guides.sandbox.digits')}</Th>
                <Th>{t('guides.sandbox.result')}</Th>
                <Th className="max-sm:hidden">{t('guides.sandbox.happens')}</Th>
              </>
            }
          >
            {outcomes.map(({ digits, status, message }) => (
              <Tr key={digits} className="align-top">
                <Td>
                  <PlaceLink id={`n${digits}`} className="font-mono">
                    <span id={`n${digits}`} className="scroll-mt-20">
                      {digits}
                    </span>
                  </PlaceLink>
                </Td>
                <Td>
                  <StatusWord status={status} />
                  {message && <p className="text-second text-quiet">{message}</p>}
                  <p className="text-second text-ink-2 sm:hidden">{explain(digits)}</p>
                </Td>
                <Td className="max-sm:hidden">{explain(digits)}</Td>
              </Tr>
            ))}
            <Tr className="align-top">
              <Td>{t('guides.sandbox.other')}</Td>
              <Td>
                <StatusWord status="SUCCESS" />
              </Td>
              <Td className="max-sm:hidden">{t('guides.sandbox.success')}</Td>
            </Tr>
          </Table>
        </div>
        <P>{t('guides.sandbox.numbers.b')}</P>
        <P>{t('guides.sandbox.uncovered')}</P>
      </GuideSection>
      <GuideSection guide="sandbox" id="difference">
        <List items={[t('guides.sandbox.difference.a'), t('guides.sandbox.difference.b'), t('guides.sandbox.difference.c')]} />
      </GuideSection>
    </>
  )
}
