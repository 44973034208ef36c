import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import { Card } from '#components/ui/display/card.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import type { CertificateState, DaySigningDto, DayVersionDto } from '#lib/reconciliation/certificates.ts'
import type { WalletDayDto } from '#lib/reconciliation/days.ts'
import { SignButtons } from './sign-buttons.tsx'

const TONES: Record<CertificateState, Tone> = { prepared: 'wait', signed: 'ok', reopened: 'neutral', to_be_signed_again: 'bad' }

type Props = {
  t: Translate
  application: string
  day: WalletDayDto
  signing: DaySigningDto
  may: { sign: boolean; reopen: boolean }
}

/** How far the signature of a day is, who prepared and signed each version, and what this person may do now. */
export function SigningCard({ t, application, day, signing, may }: Props) {
  const { versions, obstacle, refusal } = signing
  const [newest] = versions
  const currency = CURRENCIES.find((each) => each === day.currency) ?? 'XAF'
  const unexplained = <Money amount={day.unexplained} currency={currency} />
  const isProtecting = versions.some(({ state }) => state === 'signed' || state === 'to_be_signed_again')
  const isDone = newest?.state === 'signed'
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2>{t('close.sign.title')}</h2>
        <Badge tone={newest ? TONES[newest.state] : 'neutral'} hasDot>
          {t(`close.sign.state.${newest?.state ?? 'none'}`)}
        </Badge>
      </div>
      {versions.length === 0 && <p className="mt-2 max-w-prose text-quiet">{t('close.sign.noneText')}</p>}
      <ul className="mt-2 grid gap-3">
        {versions.map((version) => (
          <Version key={version.version} t={t} version={version} isOnly={versions.length === 1} currency={currency} />
        ))}
      </ul>
      {!isDone && obstacle !== null && (
        <p id="sign-obstacle" className={`mt-3 ${obstacle === 'unexplained' ? 'text-bad' : 'text-quiet'}`}>
          {obstacle === 'unexplained'
            ? withMoney(t('close.sign.obstacle.unexplained', { amount: '\n' }), unexplained)
            : t(`close.sign.obstacle.${obstacle}`)}
        </p>
      )}
      {!isDone && obstacle === null && may.sign && refusal !== null && refusal !== 'not_prepared' && (
        <p id="sign-obstacle" className="mt-3 text-quiet">
          {t(`close.sign.${refusal}`)}
        </p>
      )}
      <SignButtons
        application={application}
        wallet={day.wallet}
        day={day.day}
        prepared={newest?.state === 'prepared' ? { hash: newest.hash, by: newest.preparedBy } : null}
        isBlocked={obstacle !== null}
        isRefused={refusal !== null}
        may={{ sign: may.sign && !isDone, reopen: may.reopen && isProtecting }}
      />
      {versions.some(({ signedAt }) => signedAt !== null) && (
        <p className="no-print mt-3 flex flex-wrap gap-x-4 gap-y-1">
          <a href={paths.data(application, `certificates?wallet=${day.wallet}`)} download className="py-0.5 text-accent underline">
            {t('close.sign.download')}
          </a>
          <a href={paths.data(application, 'certificates/keys')} download className="py-0.5 text-accent underline">
            {t('close.sign.keys')}
          </a>
        </p>
      )}
    </Card>
  )
}

/** A sentence with an amount in the place of the line break. */
function withMoney(sentence: string, money: React.ReactNode) {
  const [before, after] = sentence.split('\n')
  return (
    <>
      {before}
      {money}
      {after}
    </>
  )
}

type VersionProps = { t: Translate; version: DayVersionDto; isOnly: boolean; currency: (typeof CURRENCIES)[number] }

function Version({ t, version, isOnly, currency }: VersionProps) {
  const { state, preparedBy, preparedAt, signedBy, signedAt, hash, carried } = version
  return (
    <li className="grid gap-0.5">
      {!isOnly && (
        <span className="font-strong">
          {t('close.sign.version', { version: version.version })} · {t(`close.sign.state.${state}`)}
        </span>
      )}
      <span>
        {t('close.sign.preparedBy', { name: preparedBy })} · <TimeText at={preparedAt} style="full" />
      </span>
      {signedBy !== null && signedAt !== null && (
        <>
          <span>
            {t('close.sign.signedBy', { name: signedBy })} · <TimeText at={signedAt} style="full" />
          </span>
          <span className="text-second text-quiet">
            {t('close.sign.hash')} <code className="wrap-anywhere">{hash}</code>
          </span>
          <span className="text-second text-quiet">
            {t('close.sign.carried')} <Money amount={carried} currency={currency} />
          </span>
        </>
      )}
    </li>
  )
}
