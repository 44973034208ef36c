import { buttonClass } from '#components/ui/button.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import {
  LISTEN_FILE,
  LISTEN_PATH,
  type ReferenceExample,
  type ReferenceField,
  type SampleLanguage,
  type Samples,
} from '#lib/partner/reference.ts'
import { CodeBlock, CodeSamples } from '../code-block.tsx'
import { FieldList } from '../operation-page.tsx'
import { GuideSection, List, P } from '../prose.tsx'

type Props = {
  t: Translate
  baseUrl: string
  webhook: { headers: ReferenceField[]; fields: ReferenceField[]; examples: ReferenceExample[] }
  verify: Samples
  gapsMs: readonly number[]
  language: SampleLanguage
}

/** Results that the service sends. */
export function WebhookGuide({ t, baseUrl, webhook, verify, gapsMs, language }: Props) {
  return (
    <>
      <GuideSection guide="webhooks" id="payload">
        <P>{t('guides.webhooks.payload.a')}</P>
        {webhook.examples.map(({ name, summary, json }) => (
          <CodeBlock key={name} label={summary} labelLang="en" source={json} />
        ))}
        <FieldList t={t} fields={webhook.fields} place="body" />
      </GuideSection>
      <GuideSection guide="webhooks" id="headers">
        <FieldList t={t} fields={webhook.headers} place="header" />
      </GuideSection>
      <GuideSection guide="webhooks" id="answer">
        <List
          items={[
            t('guides.webhooks.answer.a'),
            t('guides.webhooks.answer.b'),
            t('guides.webhooks.answer.c'),
            t('guides.webhooks.answer.d'),
            t('guides.webhooks.answer.e'),
          ]}
        />
      </GuideSection>
      <GuideSection guide="webhooks" id="schedule">
        <P>{t('guides.webhooks.schedule.a')}</P>
        <List isOrdered items={[t('guides.webhooks.schedule.b'), ...gapsMs.map((gapMs) => describeGap(t, gapMs))]} />
        <P>{t('guides.webhooks.schedule.c')}</P>
      </GuideSection>
      <GuideSection guide="webhooks" id="secret">
        <P>{t('guides.webhooks.secret.a')}</P>
      </GuideSection>
      <GuideSection guide="webhooks" id="verify">
        <P>{t('guides.webhooks.verify.a')}</P>
        <CodeSamples title={t('guides.webhooks.verify.receiver')} samples={verify} initial={language} />
      </GuideSection>
      <GuideSection guide="webhooks" id="rotation">
        <P>{t('guides.webhooks.rotation.a')}</P>
      </GuideSection>
      <GuideSection guide="webhooks" id="local">
        <P>{t('guides.webhooks.local.a')}</P>
        <CodeBlock label={t('guides.webhooks.local.command')} source={listenCommand(baseUrl)} />
        <p>
          <a href={LISTEN_PATH} download={LISTEN_FILE} className={buttonClass('quiet', 'medium')}>
            {t('guides.download', { file: LISTEN_FILE })}
          </a>
        </p>
        <List
          items={[t('guides.webhooks.local.b'), t('guides.webhooks.local.c'), t('guides.webhooks.local.d'), t('guides.webhooks.local.e')]}
        />
      </GuideSection>
    </>
  )
}

function listenCommand(baseUrl: string): string {
  return `# BASE_URL, API_KEY, API_ID, API_USER and API_PASSWORD are in the environment.
npm exec --yes --package=${baseUrl}${LISTEN_PATH} -- countersign listen --forward-to localhost:3000/hooks`
}

function describeGap(t: Translate, gapMs: number): string {
  return gapMs < 60_000
    ? t('guides.webhooks.schedule.seconds', { count: gapMs / 1_000 })
    : t('guides.webhooks.schedule.minutes', { count: gapMs / 60_000 })
}
