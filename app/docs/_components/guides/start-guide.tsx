import { ButtonLink } from '#components/ui/button.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { environmentText, type ReferenceOperation, type SampleLanguage } from '#lib/partner/reference.ts'
import { CodeBlock, OperationSamples } from '../code-block.tsx'
import { GuideSection, List, P } from '../prose.tsx'

type Props = {
  t: Translate
  operations: ReadonlyMap<string, ReferenceOperation>
  language: SampleLanguage
  baseUrl: string
  /** Of the reader's application; undefined without a session. */
  apiId: string | undefined
  sandboxFile: string | undefined
}

/** From credentials to the first payment. */
export function StartGuide({ t, operations, language, baseUrl, apiId, sandboxFile }: Props) {
  const sample = (id: string) => {
    const operation = operations.get(id)
    return operation && <OperationSamples operation={operation} initial={language} />
  }
  return (
    <>
      <div className="mt-6 grid gap-3">
        <P>{t('guides.start.intro', { operators: OPERATOR_CODES.length })}</P>
      </div>
      <GuideSection guide="start" id="credentials">
        <P>{t('guides.start.credentials.a')}</P>
        <List items={[t('guides.start.credentials.b'), t('guides.start.credentials.c'), t('guides.start.credentials.d')]} />
        <P>{t('guides.start.credentials.e')}</P>
        {sandboxFile && <P>{t('guides.start.sandbox', { file: sandboxFile })}</P>}
        <P>{t('guides.start.credentials.f')}</P>
        <CodeBlock label={t('guides.start.environment')} source={environmentText(baseUrl, apiId)} />
      </GuideSection>
      <GuideSection guide="start" id="token">
        <P>{t('guides.start.token.a')}</P>
        {sample('accessToken')}
        <P>{t('guides.start.token.b')}</P>
      </GuideSection>
      <GuideSection guide="start" id="first-collect">
        <P>{t('guides.start.firstCollect.a')}</P>
        {sample('collect')}
        <P>{t('guides.start.firstCollect.b')}</P>
      </GuideSection>
      <GuideSection guide="start" id="result">
        <P>{t('guides.start.result.a')}</P>
        {sample('transactionStatus')}
        <P>{t('guides.start.result.b')}</P>
      </GuideSection>
      <GuideSection guide="start" id="go-live">
        <List
          isOrdered
          items={[
            t('guides.start.goLive.a'),
            t('guides.start.goLive.b'),
            t('guides.start.goLive.c'),
            t('guides.start.goLive.d'),
            t('guides.start.goLive.e'),
            t('guides.start.goLive.f'),
            t('guides.start.goLive.g'),
          ]}
        />
        <p className="flex flex-wrap gap-2">
          <ButtonLink href={paths.docs('sandbox')}>{t('guides.start.outcomes')}</ButtonLink>
          <ButtonLink href={paths.docs('webhooks')}>{t('docs.guide.webhooks')}</ButtonLink>
          <ButtonLink href={paths.docs('errors')}>{t('docs.guide.errors')}</ButtonLink>
        </p>
      </GuideSection>
    </>
  )
}
