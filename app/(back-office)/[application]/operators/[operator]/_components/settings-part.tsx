import { TimeText } from '#components/domain/time-text.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { AMOUNT_SETTINGS_NAME, type ProtocolSettings } from '#lib/operators/operator-settings.ts'
import { SettingsButtons } from '../../_components/operator-buttons.tsx'
import { protocolName, settingName, settingText } from '../../_components/operator-words.ts'

type Props = {
  t: Translate
  application: string
  /** Null: another application runs the installation. */
  settings: readonly ProtocolSettings[] | null
  isAlone: boolean
  /** Connected, through stored settings or those of the environment. */
  isReachable: boolean
  mayConfigure: boolean
}

/** How the operator is reached, through each of its protocols, without secrets. */
export function SettingsPart({ t, application, settings, isAlone, isReachable, mayConfigure }: Props) {
  const isStored = settings?.some(({ protocol, stored }) => stored !== null && protocol !== AMOUNT_SETTINGS_NAME) ?? false
  return (
    <section aria-labelledby="settings" className="mt-6">
      <h2 id="settings">{t('operators.settings')}</h2>
      {settings === null ? (
        <p className="mt-1 text-quiet">{t('operators.settingsElsewhere')}</p>
      ) : (
        <>
          <p className="mt-1 text-second text-quiet">{t('operators.settingsNote')}</p>
          {isAlone && (
            <div className="mt-2">
              <Notice>{t('operators.alone')}</Notice>
            </div>
          )}
          {!isStored && <p className="mt-2">{t(isReachable ? 'operators.fromEnvironment' : 'operators.notSet')}</p>}
          <div className="mt-2 grid grid-cols-1 gap-3">
            {settings.map((each) => (
              <Protocol key={each.protocol} t={t} application={application} settings={each} mayChange={mayConfigure && !isAlone} />
            ))}
          </div>
        </>
      )}
    </section>
  )
}

type ProtocolProps = { t: Translate; application: string; settings: ProtocolSettings; mayChange: boolean }

function Protocol({ t, application, settings, mayChange }: ProtocolProps) {
  const { protocol, fields, stored } = settings
  const shown = fields.filter(({ path, kind }) =>
    kind === 'secret' ? stored?.secretsSet.includes(path) : stored?.values[path] !== undefined,
  )
  return (
    <Card>
      <h3 className="font-strong">{protocolName(t, protocol)}</h3>
      {stored ? (
        <>
          <p className="text-second text-quiet">
            {t('operators.version', { version: stored.version })} <TimeText at={stored.changedAt} />
            {stored.returnUntil && (
              <>
                {' · '}
                {t('operators.returnUntil')} <TimeText at={stored.returnUntil} />
              </>
            )}
          </p>
          <dl className="mt-2 grid gap-1">
            {shown.map(({ path, kind }) => (
              <div key={path} className="flex flex-wrap gap-x-3">
                <dt className="w-56 shrink-0 text-quiet">{settingName(t, path)}</dt>
                <dd className="min-w-0 wrap-anywhere whitespace-pre-line">
                  {kind === 'secret' ? (
                    <span className="text-quiet">{t('operators.secretStored')}</span>
                  ) : (
                    settingText(t, stored.values[path] ?? '')
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <p className="mt-1 text-quiet">{t('operators.noneStored')}</p>
      )}
      {mayChange && <SettingsButtons application={application} settings={settings} />}
    </Card>
  )
}
