import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { BoardDay, BoardDto } from '#lib/reconciliation/days.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { WalletMark } from './wallet-mark.tsx'

type Props = { t: Translate; application: string; board: BoardDto }

/** A row per wallet and a column per day, the newest day first, so that a phone shows it without scrolling. */
export function BoardTable({ t, application, board }: Props) {
  const days = board.days.toReversed()
  return (
    <>
      <ListTable
        label={t('close.board')}
        className="mt-4"
        rows={board.wallets}
        keyOf={({ wallet }) => wallet}
        columns={[
          {
            head: t('close.wallet'),
            className: 'sticky left-0 bg-surface',
            cellClass: 'whitespace-nowrap',
            cell: ({ wallet }) => <WalletMark t={t} wallet={wallet} />,
          },
          ...days.map((day) => ({
            head: dayText(t, day).replace(/ \d{4}$/, ''),
            align: 'end' as const,
            cell: ({ wallet, days: own }: BoardDto['wallets'][number]) => (
              <DayCell t={t} application={application} wallet={wallet} day={own.find((each) => each.day === day)} />
            ),
          })),
        ]}
      />
      <p className="mt-2 text-second text-quiet">{t('close.legend')}</p>
    </>
  )
}

const TONES = { none: 'text-quiet', ties: 'text-ok font-strong', differs: 'text-bad font-strong' } as const
const SIGNING = {
  signed: { mark: '✓✓', tone: 'text-ok font-strong' },
  prepared: { mark: '●', tone: 'text-wait' },
  to_be_signed_again: { mark: '↻', tone: 'text-bad font-strong' },
} as const

function DayCell({ t, application, wallet, day }: { t: Translate; application: string; wallet: string; day: BoardDay | undefined }) {
  if (!day) return null
  const { state, grave } = day
  const signing = day.signing === 'reopened' ? null : day.signing
  const compared =
    state === 'differs' ? (grave > 0 ? t('close.toCheck', { count: grave }) : t('close.unexplained')) : t(`close.state.${state}`)
  const words = signing === null ? compared : `${t(`close.board.state.${signing}`)}, ${compared}`
  const label = `${walletText(t, wallet)}, ${dayText(t, day.day)}: ${words}`
  const mark = { none: '–', ties: '✓', differs: grave > 0 ? String(grave) : '≠' }[state]
  const shown = signing === null ? mark : SIGNING[signing].mark
  const tone = signing === null ? TONES[state] : SIGNING[signing].tone
  return (
    <Link
      href={paths.closeDay(application, wallet, day.day)}
      aria-label={label}
      title={label}
      className={`inline-block min-w-8 py-1.5 text-right hover:underline ${tone}`}
    >
      {shown}
    </Link>
  )
}
