import { buttonClass } from '#components/ui/button.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { CLIENT_FILES, CLIENT_LANGUAGES, type ClientLanguage, clientPath, SAMPLE_TITLES } from '#lib/partner/reference.ts'
import { CodeBlock } from '../code-block.tsx'
import { GuideSection, List, P } from '../prose.tsx'

/** Clients to download, one file for each language. `samples`: a first collect with each. */
export function ClientGuide({ t, samples }: { t: Translate; samples: Record<ClientLanguage, string> }) {
  return (
    <>
      <GuideSection guide="clients" id="download">
        <P>{t('guides.clients.download.a')}</P>
        <List items={[t('guides.clients.download.b'), t('guides.clients.download.c'), t('guides.clients.download.d')]} />
        <p className="flex flex-wrap gap-2">
          {CLIENT_LANGUAGES.map((language) => (
            <a key={language} href={clientPath(language)} download={CLIENT_FILES[language]} className={buttonClass('quiet', 'medium')}>
              {t('guides.download', { file: CLIENT_FILES[language] })}
            </a>
          ))}
        </p>
      </GuideSection>
      <GuideSection guide="clients" id="collect">
        <P>{t('guides.clients.collect.a')}</P>
        {CLIENT_LANGUAGES.map((language) => (
          <CodeBlock key={language} label={SAMPLE_TITLES[language]} source={samples[language]} isCode />
        ))}
        <P>{t('guides.clients.collect.b')}</P>
      </GuideSection>
      <GuideSection guide="clients" id="behaviour">
        <List
          items={[
            t('guides.clients.behaviour.a'),
            t('guides.clients.behaviour.b'),
            t('guides.clients.behaviour.c'),
            t('guides.clients.behaviour.d'),
            t('guides.clients.behaviour.e'),
          ]}
        />
      </GuideSection>
      <GuideSection guide="clients" id="errors">
        <P>{t('guides.clients.errors.a')}</P>
        <List items={[t('guides.clients.errors.b'), t('guides.clients.errors.c'), t('guides.clients.errors.d')]} />
      </GuideSection>
      <GuideSection guide="clients" id="webhooks">
        <P>{t('guides.clients.webhooks.a')}</P>
      </GuideSection>
    </>
  )
}
