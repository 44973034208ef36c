import { TimeText } from '#components/domain/time-text.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { RefusalDto } from '#lib/refusal-cause.ts'
import { ProposeButton } from './propose-button.tsx'
import { SectionHead } from './section-head.tsx'

type Props = { t: Translate; application: string; refusals: readonly RefusalDto[]; mayPropose: boolean }

/** Why calls were refused with 401 and 403: by cause, the latest first, each with the change that fixes it. */
export function RefusalList({ t, application, refusals, mayPropose }: Props) {
  return (
    <section aria-labelledby="refusals" className="mt-8">
      <SectionHead id="refusals" title={t('credentials.refusals')} text={t('credentials.refusalsText')} />
      {refusals.length === 0 && <p className="mt-3 text-quiet">{t('credentials.noRefusals')}</p>}
      <ul className="mt-3 grid gap-2">
        {refusals.map((refusal) => (
          <li key={refusal.cause} className="rounded-lg border border-line bg-surface p-4">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
              <h3 className="font-strong">
                <span className="mr-2 text-quiet tabular">{refusal.status}</span>
                {t(`credentials.cause.${refusal.cause}`)}
              </h3>
              <span className="text-second text-quiet">
                {t('credentials.times', { count: refusal.count })} · <TimeText at={refusal.lastAt} />
              </span>
            </div>
            <p className="mt-1 max-w-3xl">{t(`credentials.fix.${refusal.cause}`)}</p>
            <ul className="mt-2 grid gap-1">
              {refusal.rows.map((row) => (
                <li key={`${row.address} ${row.subject}`} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <span className="tabular wrap-anywhere">{addressText(t, row.address)}</span>
                  {row.subject && <span className="text-ink-2 wrap-anywhere">{row.subject}</span>}
                  <span className="text-second text-quiet">
                    {t('credentials.times', { count: row.count })} · <TimeText at={row.lastAt} />
                  </span>
                  {mayPropose && refusal.cause === 'address_not_allowed' && isAddress(row.address) && (
                    <ProposeButton
                      application={application}
                      form="address"
                      size="small"
                      label={t('credentials.allowThis', { address: row.address })}
                      network={row.address}
                    />
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  )
}

function isAddress(text: string): boolean {
  return /^[0-9a-f.:]+$/i.test(text)
}

function addressText(t: Translate, address: string): string {
  if (address === '*') return t('credentials.manyAddresses')
  return isAddress(address) ? address : t('credentials.unknownAddress')
}
