import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { type InstallationDto, type ProcessDto, type StandbyDto, type TaskDto, WAITING_COUNT_MAX } from '#lib/pages/installation.ts'
import { formatCount } from '#lib/text/format.ts'
import { formatDuration } from '#lib/time/format-time.ts'

const KB = 1024
const MB = KB * KB

/** The processes of the service, by machine; one that ended without saying so is shown for ten minutes. */
export function ProcessTable({ processes, release }: { processes: readonly ProcessDto[]; release: number }) {
  const { t } = useTranslations()
  return (
    <ListTable
      label={t('installation.processes')}
      className="mt-2"
      isList
      rows={processes}
      keyOf={({ processId }) => processId}
      columns={[
        {
          head: t('installation.machine'),
          cellClass: 'wrap-anywhere',
          cell: ({ host, pid }) => (
            <>
              {host} <span className="text-second text-quiet tabular">{pid}</span>
            </>
          ),
        },
        { head: t('installation.role'), cell: ({ role }) => t(`installation.role.${role}`) },
        {
          head: t('installation.release'),
          isLabelled: true,
          cell: (process) => (
            <span className={`tabular ${process.release === release ? '' : 'text-wait'}`}>
              {process.release === release ? process.release : t('installation.otherRelease', { release: process.release })}
            </span>
          ),
        },
        { head: t('installation.started'), isLabelled: true, cell: ({ startedAt }) => <TimeText at={startedAt} /> },
        {
          head: t('installation.state'),
          cell: ({ isSilent, seenAt }) =>
            isSilent ? (
              <>
                <Badge tone="bad" hasDot>
                  {t('installation.silent')}
                </Badge>{' '}
                <span className="text-second text-quiet">
                  {t('installation.lastSeen')} <RelativeTime at={seenAt} />
                </span>
              </>
            ) : (
              <Badge tone="ok" hasDot>
                {t('installation.running')}
              </Badge>
            ),
        },
      ]}
    />
  )
}

/** The standbys of PostgreSQL that are connected to the primary. */
export function StandbyTable({ standbys }: { standbys: readonly StandbyDto[] }) {
  const { t, locale } = useTranslations()
  const bytes = (count: number) =>
    count < MB
      ? t('installation.kilobytes', { count: formatCount(Math.ceil(count / KB), locale) })
      : t('installation.megabytes', { count: formatCount(Math.ceil(count / MB), locale) })
  return (
    <ListTable
      label={t('installation.standbys')}
      className="mt-2"
      isList
      rows={standbys}
      keyOf={({ pid }) => pid}
      columns={[
        {
          head: t('installation.standby'),
          cellClass: 'wrap-anywhere',
          cell: ({ name, address }) => (
            <>
              {name} {address && <span className="text-second text-quiet">{address}</span>}
            </>
          ),
        },
        {
          head: t('installation.commits'),
          cell: ({ isSynchronous }) =>
            isSynchronous ? (
              <Badge tone="ok" hasDot>
                {t('installation.synchronous')}
              </Badge>
            ) : (
              t('installation.asynchronous')
            ),
        },
        {
          head: t('installation.state'),
          cell: ({ state }) =>
            state === 'streaming' ? t('installation.streaming') : <span className="text-wait">{t('installation.catchingUp')}</span>,
        },
        {
          head: t('installation.lag'),
          align: 'end',
          isLabelled: true,
          cell: ({ lagMs, lagBytes }) => (
            <>
              {lagMs === null || lagMs < 1_000 ? t('installation.belowSecond') : formatDuration(t, lagMs)}
              {lagBytes > 0 && <span className="block text-second text-quiet">{bytes(lagBytes)}</span>}
            </>
          ),
        },
      ]}
    />
  )
}

/** The oldest of everything that waits, over all applications. */
export function WaitingTable({ waiting }: Pick<InstallationDto, 'waiting'>) {
  const { t, locale } = useTranslations()
  return (
    <ListTable
      label={t('installation.waiting')}
      className="mt-2"
      rows={waiting}
      keyOf={({ kind }) => kind}
      columns={[
        { head: t('installation.kind'), cell: ({ kind }) => t(`installation.kind.${kind}`) },
        {
          head: t('installation.count'),
          align: 'end',
          cell: ({ count }) =>
            count >= WAITING_COUNT_MAX
              ? t('installation.orMore', { count: formatCount(WAITING_COUNT_MAX, locale) })
              : formatCount(count, locale),
        },
        {
          head: t('installation.oldest'),
          align: 'end',
          cell: ({ oldestAt, isDelayed }) =>
            oldestAt === null ? (
              <span className="text-quiet">{t('installation.nothing')}</span>
            ) : (
              <span className={isDelayed ? 'font-strong text-bad' : ''}>
                <RelativeTime at={oldestAt} />
                {isDelayed && <span className="block text-second font-regular">{t('installation.delayed')}</span>}
              </span>
            ),
        },
      ]}
    />
  )
}

/** Scheduled tasks that fail, or that nobody runs. */
export function TaskTable({ tasks }: { tasks: readonly TaskDto[] }) {
  const { t } = useTranslations()
  return (
    <ListTable
      label={t('installation.tasks')}
      className="mt-2"
      isList
      rows={tasks}
      keyOf={({ task }) => task}
      columns={[
        { head: t('installation.task'), cellClass: 'wrap-anywhere', cell: ({ task }) => <code>{task}</code> },
        {
          head: t('installation.problem'),
          cellClass: 'wrap-anywhere text-bad',
          cell: ({ failure }) => (failure === null ? t('installation.late') : failure),
        },
        { head: t('installation.since'), isLabelled: true, cell: ({ since }) => <TimeText at={since} /> },
      ]}
    />
  )
}
