import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge, type Tone } from '#components/ui/badge.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { FundingDto } from '#lib/funding.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { FundingDocument, FundingHead, FundingSteps } from './funding-facts.tsx'

const TONES: Readonly<Record<FundingDto['state'], Tone>> = {
  open: 'wait',
  confirmed: 'ok',
  refused: 'bad',
  withdrawn: 'neutral',
  expired: 'neutral',
}

const WIDE = 'max-sm:hidden'

/** The fundings that no longer wait, newest first. */
export function FundingTable({ t, fundings }: { t: Translate; fundings: readonly FundingDto[] }) {
  return (
    <TableCard label={t('funding.earlier')} className="mt-2">
      <Table
        caption={t('funding.earlier')}
        head={
          <>
            <Th>{t('funding.kind')}</Th>
            <Th align="end">{t('funding.amount')}</Th>
            <Th className={WIDE}>{t('funding.reference')}</Th>
            <Th className={WIDE}>{t('funding.people')}</Th>
            <Th>{t('funding.state')}</Th>
          </>
        }
      >
        {fundings.map((funding) => (
          <Tr key={funding.fundingId} className="align-top">
            <Td className="sm:min-w-52">
              <FundingHead t={t} funding={funding} />
              <span className="block text-second wrap-anywhere sm:hidden">{funding.reference}</span>
            </Td>
            <Td align="end">
              <Money amount={funding.amount} currency={funding.currency} className="font-medium" />
              <span className="block text-second whitespace-nowrap max-sm:hidden">
                <FundingSteps t={t} funding={funding} />
              </span>
            </Td>
            <Td className={`min-w-56 ${WIDE}`}>
              <span className="wrap-anywhere">{funding.reference}</span>
              <span className="block text-second text-quiet">
                <FundingDocument t={t} funding={funding} />
              </span>
              {funding.note !== '' && <span className="block text-second text-quiet">{funding.note}</span>}
            </Td>
            <Td className={`min-w-56 ${WIDE}`}>
              <People t={t} funding={funding} />
            </Td>
            <Td className="sm:min-w-32">
              <Badge tone={TONES[funding.state]} hasDot>
                {t(`funding.state.${funding.state}`)}
              </Badge>
              {funding.reason !== '' && (
                <span className="block text-second text-quiet max-sm:max-w-40">{t('funding.reasonIs', { reason: funding.reason })}</span>
              )}
            </Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}

function People({ t, funding }: { t: Translate; funding: FundingDto }) {
  const { proposedBy, proposedAt, decidedBy, decidedAt, state } = funding
  const words = state === 'confirmed' ? 'funding.confirmedBy' : state === 'refused' ? 'funding.refusedBy' : null
  return (
    <>
      <span className="block">
        {t('funding.proposedBy', { name: proposedBy.name })} <TimeText at={proposedAt} className="text-second text-quiet" />
      </span>
      {words && decidedBy && decidedAt && (
        <span className="block">
          {t(words, { name: decidedBy.name })} <TimeText at={decidedAt} className="text-second text-quiet" />
        </span>
      )}
    </>
  )
}
