import { Link } from '#components/ui/link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { formatTime } from '#lib/format-time.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import type { OperatorDirection } from '../read-operators.ts'
import { figuresOf } from './figures.ts'

const WIDE = 'max-sm:hidden'

type Props = { t: Translate; locale: Locale; application: string; operator: OperatorCode; directions: readonly OperatorDirection[] }

/** The last days of one operator, newest first, both directions. */
export function DayTable({ t, locale, application, operator, directions }: Props) {
  const { brand, country } = OPERATORS[operator]
  const title = t('operators.byDay', { operator: `${brand} ${t(`country.${country.name}`)}` })
  const rows = directions
    .filter((direction) => direction.operator === operator)
    .flatMap(({ type, days }) => days.map((day) => ({ type, ...day })))
    .sort((left, right) => right.day.localeCompare(left.day) || left.type.localeCompare(right.type))
  return (
    <div className="mt-6">
      <div className="flex flex-wrap items-baseline gap-x-4">
        <h2 id="by-day">{title}</h2>
        <Link href={paths.operators(application)} scroll={false} className="py-0.5 text-second underline">
          {t('operators.all')}
        </Link>
      </div>
      <TableCard label={title} className="mt-2">
        <Table
          caption={title}
          head={
            <>
              <Th>{t('operators.day')}</Th>
              <Th align="end">{t('operators.succeeded')}</Th>
              <Th align="end" className={WIDE}>
                {t('operators.failed')}
              </Th>
              <Th align="end" className={WIDE}>
                {t('operators.open')}
              </Th>
              <Th align="end" className={WIDE}>
                {t('operators.unanswered')}
              </Th>
              <Th align="end">{t('operators.response')}</Th>
            </>
          }
        >
          {rows.map((row) => {
            const figures = figuresOf(t, locale, row)
            return (
              <Tr key={`${row.day} ${row.type}`} className="whitespace-nowrap">
                <Td>
                  {formatTime(t, 'UTC', new Date(`${row.day}T00:00:00Z`), 'day')}{' '}
                  <span className="text-second text-quiet">{t(`type.${row.type}`)}</span>
                </Td>
                <Td align="end">
                  {figures.succeeded} <span className="text-second text-quiet">{t('operators.of', { count: figures.ended })}</span>
                </Td>
                <Td align="end" className={WIDE}>
                  {figures.failed}
                </Td>
                <Td align="end" className={WIDE}>
                  {figures.open}
                </Td>
                <Td align="end" className={WIDE}>
                  {figures.unanswered}
                </Td>
                <Td align="end">
                  {figures.median}
                  {figures.slow && <span className="block text-second text-quiet max-sm:hidden">{figures.slow}</span>}
                </Td>
              </Tr>
            )
          })}
        </Table>
      </TableCard>
    </div>
  )
}
