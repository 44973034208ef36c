'use client'

import { useQuery } from '@tanstack/react-query'
import { TimeText } from '#components/domain/time-text.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/paths.ts'
import { fetchData, hasParts, isListOf } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import type { ApiRequestDto } from '#lib/sandbox-tools.ts'

/** The newest calls of the partner's program. Live updates refresh it as they refresh the transactions. */
export function RequestLog({ application }: { application: string }) {
  const t = useT()
  const { data, isError, refetch } = useQuery({
    queryKey: queryKeys.apiRequests(application),
    queryFn: ({ signal }) =>
      fetchData(paths.data(application, 'requests'), isListOf(hasParts<ApiRequestDto>('requestId', 'status')), signal),
  })
  if (!data || data.length === 0) return <p className="mt-3 text-quiet">{t('sandbox.noRequests')}</p>
  return (
    <>
      <div className="mt-3">
        <RefreshNotice isFailed={isError} onRetry={() => void refetch()} />
      </div>
      <TableCard label={t('sandbox.requests')} className="mt-3">
        <Table
          caption={t('sandbox.requests')}
          head={
            <>
              <Th>{t('sandbox.at')}</Th>
              <Th>{t('sandbox.call')}</Th>
              <Th>{t('sandbox.status')}</Th>
              <Th>{t('sandbox.from')}</Th>
            </>
          }
        >
          {data.map(({ requestId, at, method, path, status, cause, address }) => (
            <Tr key={requestId}>
              <Td>
                <TimeText at={at} style="full" />
              </Td>
              <Td className="min-w-48">
                <span className="mr-2 text-quiet">{method}</span>
                <span className="wrap-anywhere">{path}</span>
                {cause && <span className="block text-second text-ink-2">{t(`credentials.cause.${cause}`)}</span>}
              </Td>
              <Td>
                <Badge tone={status < 400 ? 'ok' : 'bad'}>{status}</Badge>
              </Td>
              <Td>{address}</Td>
            </Tr>
          ))}
        </Table>
      </TableCard>
    </>
  )
}
