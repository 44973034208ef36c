import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators.ts'
import type { ReportedBalance } from '../read-operators.ts'
import { TestButton } from './test-button.tsx'

type Props = { t: Translate; application: string; balances: readonly ReportedBalance[] }

/** What each operator reported last against the ledger, and a test of it. */
export function BalanceTable({ t, application, balances }: Props) {
  return (
    <TableCard label={t('operators.balances')} className="mt-2">
      <Table
        caption={t('operators.balances')}
        head={
          <>
            <Th>{t('operators.operator')}</Th>
            <Th align="end">{t('operators.difference')}</Th>
            <Th align="end">{t('operators.reported')}</Th>
            <Th align="end">{t('operators.ledger')}</Th>
            <Th>{t('operators.checked')}</Th>
            <Th>{t('operators.test')}</Th>
          </>
        }
      >
        {balances.map((balance) => {
          const { currency } = OPERATORS[balance.operator].country
          const figure = (amount: string | null) => (amount === null ? '–' : <Money amount={amount} currency={currency} />)
          return (
            <Tr key={balance.operator}>
              <Td className="whitespace-nowrap">
                <OperatorMark code={balance.operator} />
              </Td>
              <Td align="end">
                <Difference t={t} balance={balance} />
              </Td>
              <Td align="end">{figure(balance.reported)}</Td>
              <Td align="end">{figure(balance.ledger)}</Td>
              <Td className="whitespace-nowrap">
                {balance.checkedAt === null ? (
                  <span className="text-quiet">{t('operators.never')}</span>
                ) : (
                  <TimeText at={balance.checkedAt} />
                )}
              </Td>
              <Td className="min-w-60">
                {balance.isConnected ? (
                  <TestButton application={application} operator={balance.operator} />
                ) : (
                  <span className="text-second text-quiet">{t('operators.notConnected')}</span>
                )}
              </Td>
            </Tr>
          )
        })}
      </Table>
    </TableCard>
  )
}

function Difference({ t, balance: { operator, checkedAt, difference, differsSince } }: { t: Translate; balance: ReportedBalance }) {
  if (checkedAt === null) return '–'
  if (difference === null) return <span className="text-quiet">{t('operators.unknown')}</span>
  if (difference === '0') return <span className="text-ok">{t('operators.agrees')}</span>
  return (
    <>
      <Money amount={difference} currency={OPERATORS[operator].country.currency} className="font-strong text-bad" />
      {differsSince && (
        <span className="block text-second whitespace-nowrap text-quiet">
          {t('operators.since')} <TimeText at={differsSince} />
        </span>
      )}
    </>
  )
}
