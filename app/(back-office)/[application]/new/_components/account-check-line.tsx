import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslations } from '#components/ui/translations.tsx'
import { usePaused } from '#components/ui/use-paused.ts'
import type { AccountCheck } from '#lib/operators/account-check.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { compareNames } from '#lib/payments/compare-names.ts'
import { formatTime } from '#lib/time/format-time.ts'

/** Long enough that a number which is still being typed asks nobody. */
const PAUSE_MS = 700

type Refused = { code: 'limited'; of: 'asker' | 'application'; possibleAt: string } | { code: 'disabled' | 'busy' | 'failed' }
type Props = { application: string; operator: OperatorCode | null; phoneNumber: string; customerName: string; isComplete: boolean }

/**
 * The operator's answer about the account of a complete number, and whether its name is another one. The line has its place before there is
 * anything to say, so nothing moves; the form can be sent meanwhile.
 */
export function AccountCheckLine({ application, operator, phoneNumber, customerName, isComplete }: Props) {
  const typed = operator !== null && isComplete ? `${operator} ${phoneNumber}` : ''
  const asked = usePaused(typed, PAUSE_MS)
  const isAsked = asked !== '' && asked === typed && operator !== null
  const { data, isFetching } = useQuery({
    queryKey: ['account-check', application, asked],
    queryFn: ({ signal }) => checkAccount(application, { operator: operator ?? '', phoneNumber }, signal),
    enabled: isAsked,
    // Asking again counts again.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchInterval: false,
  })
  return (
    <div role="status" className="min-h-10 text-second sm:min-h-5">
      {isAsked && (isFetching || data) && <Said answer={isFetching ? undefined : data} operator={operator} customerName={customerName} />}
    </div>
  )
}

type SaidProps = { answer: AccountCheck | Refused | undefined; operator: OperatorCode; customerName: string }

function Said({ answer, operator, customerName }: SaidProps): ReactNode {
  const { t, timeZone } = useTranslations()
  const { brand } = OPERATORS[operator]
  if (!answer) return <span className="text-quiet">{t('payment.account.checking', { operator: brand })}</span>
  if ('code' in answer) {
    const when = answer.code === 'limited' ? formatTime(t, timeZone, new Date(answer.possibleAt), 'day-time') : ''
    const words = answer.code === 'limited' ? (`limited.${answer.of}` as const) : answer.code
    return <span className="text-quiet">{t(`payment.account.${words}`, { when })}</span>
  }
  if (answer.answer === 'not_offered') return null
  const { holderName } = answer
  const isOther = holderName !== null && compareNames(customerName, holderName) === 'different'
  const tone = isOther || answer.answer === 'not_registered' || answer.answer === 'barred' ? 'text-wait' : 'text-quiet'
  const found = holderName === null ? 'active' : isOther ? 'otherName' : 'named'
  return (
    <span className={`wrap-anywhere ${tone}`}>
      {t(`payment.account.${answer.answer === 'active' ? found : answer.answer}`, { operator: brand, name: holderName ?? '' })}
    </span>
  )
}

/** Refusals are answers that people read; what is unreadable counts as failed. */
async function checkAccount(
  application: string,
  query: { operator: string; phoneNumber: string },
  signal: AbortSignal,
): Promise<AccountCheck | Refused> {
  const response = await fetch(paths.data(application, 'account-checks', query), { method: 'POST', signal })
  // biome-ignore lint/plugin/no-silent-error: A proxy answered in our place.
  const body: unknown = await response.json().catch(() => null)
  return isAnswer(body) ? body : { code: 'failed' }
}

function isAnswer(body: unknown): body is AccountCheck | Refused {
  if (typeof body !== 'object' || body === null) return false
  if ('answer' in body) return 'holderName' in body
  return 'code' in body && (body.code === 'disabled' || body.code === 'busy' || (body.code === 'limited' && 'possibleAt' in body))
}
