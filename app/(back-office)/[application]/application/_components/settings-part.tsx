import { Card, Facts } from '#components/ui/card.tsx'
import { zoneWords } from '#lib/business-days.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { COUNTRY_NAMES } from '#lib/operators.ts'
import type { SettingsTerms } from '#lib/terms.ts'
import { SettingsButtons } from './settings-buttons.tsx'

type Props = {
  t: Translate
  application: string
  settings: SettingsTerms
  zone: { timeZone: string; wantedTimeZone: string | null }
  mayChange: boolean
}

/** The settings as they are. */
export function SettingsPart({ t, application, settings, zone, mayChange }: Props) {
  const yesNo = (value: boolean) => t(value ? 'terms.yes' : 'terms.no')
  const countries = COUNTRY_NAMES.filter((name) => settings.countries.includes(name)).map((name) => t(`country.${name}`))
  const facts = [
    { name: t('terms.name'), value: settings.name },
    { name: t('terms.countries'), value: countries.join(', ') },
    {
      name: t('terms.zone'),
      value: (
        <>
          {zoneWords(t, zone.timeZone)}
          {zone.wantedTimeZone && (
            <span className="block text-second text-quiet">{t('terms.zoneWanted', { zone: zoneWords(t, zone.wantedTimeZone) })}</span>
          )}
        </>
      ),
    },
    { name: t('terms.webhookUrl'), value: settings.defaultWebhookUrl ?? t('terms.none') },
    { name: t('terms.secondFactor'), value: yesNo(settings.requiresSecondFactor) },
    { name: t('terms.statusCopy'), value: yesNo(settings.copiesWebhookStatus) },
    { name: t('terms.combinedRoles'), value: yesNo(settings.allowsCombinedRoles) },
  ]
  return (
    <section aria-labelledby="settings" className="mt-6">
      <h2 id="settings">{t('terms.settings')}</h2>
      <Card className="mt-2">
        <Facts facts={facts} nameClass="w-36 sm:w-60" />
        {mayChange && <SettingsButtons application={application} settings={settings} timeZone={zone.wantedTimeZone ?? zone.timeZone} />}
      </Card>
    </section>
  )
}
