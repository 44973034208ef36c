import type { Translate } from '#lib/i18n/translate.ts'
import { API_CHANGES } from '#lib/partner/api-changes.ts'
import { GuideSection, Inline, List, P } from '../prose.tsx'

const DOCUMENTS = ['/api/v1/openapi.json', '/api/v2/openapi.json'] as const

/** Compatible and breaking changes of the API, what each version has, and what was added when. */
export function VersionGuide({ t, version }: { t: Translate; version: string }) {
  return (
    <>
      <GuideSection guide="versions" id="promise">
        <P>{t('guides.versions.promise.text', { version })}</P>
        <List
          items={[
            t('guides.versions.promise.a'),
            t('guides.versions.promise.b'),
            t('guides.versions.promise.c'),
            t('guides.versions.promise.d'),
            t('guides.versions.promise.e'),
          ]}
        />
        <P>{t('guides.versions.promise.f')}</P>
      </GuideSection>
      <GuideSection guide="versions" id="two">
        <P>{t('guides.versions.two.a')}</P>
        <List
          items={[
            t('guides.versions.two.b'),
            t('guides.versions.two.c'),
            t('guides.versions.two.d'),
            t('guides.versions.two.e'),
            t('guides.versions.two.f'),
            t('guides.versions.two.g'),
          ]}
        />
        <P>{t('guides.versions.two.h')}</P>
      </GuideSection>
      <GuideSection guide="versions" id="document">
        <P>{t('guides.versions.document.a')}</P>
        <ul className="grid gap-1">
          {DOCUMENTS.map((address) => (
            <li key={address}>
              <a href={address} className="font-mono text-accent underline">
                {address}
              </a>
            </li>
          ))}
        </ul>
      </GuideSection>
      <GuideSection guide="versions" id="changes">
        <P>{t('guides.versions.changes.a')}</P>
        <dl lang="en" className="grid max-w-[68ch] gap-3">
          {API_CHANGES.map(({ date, version: of, text }) => (
            <div key={`${date} ${text}`}>
              <dt className="font-medium">
                <time dateTime={date}>{date}</time> · {of}
              </dt>
              <dd className="text-ink-2">
                <Inline text={text} />
              </dd>
            </div>
          ))}
        </dl>
      </GuideSection>
    </>
  )
}
