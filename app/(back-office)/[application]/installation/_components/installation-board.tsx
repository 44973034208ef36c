'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card, Facts } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { InstallationDto } from '#lib/pages/installation.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries } from '#lib/pages/queries.ts'
import { ProcessTable, StandbyTable, TaskTable, WaitingTable } from './installation-tables.tsx'

const REFRESH_MS = 10_000

/** The state of the installation, read again every ten seconds while somebody looks at it. */
export function InstallationBoard({ application }: { application: string }) {
  const t = useT()
  const { data, isError, refetch } = useQuery({
    ...queries.installation(application),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  return (
    <>
      <PageHeader
        title={t('frame.installation')}
        lead={t('installation.lead')}
        actions={<ButtonLink href={paths.changesElsewhere(application)}>{t('installation.changes.title')}</ButtonLink>}
      />
      <div className="mt-3">
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
      </div>
      {data && (
        <>
          <p className="text-second text-quiet">
            {t('installation.asOf')} <TimeText at={data.asOf} style="time-seconds" />
          </p>
          <Processes {...data} />
          <Replication {...data.replication} />
          <Part title={t('installation.waiting')} note={t('installation.waitingNote')}>
            <WaitingTable waiting={data.waiting} />
          </Part>
          <Tasks {...data.tasks} />
          <Backups {...data} />
        </>
      )}
    </>
  )
}

function Part({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section className="mt-6">
      <h2>{title}</h2>
      {note && <p className="mt-1 text-second text-quiet">{note}</p>}
      {children}
    </section>
  )
}

function Processes({ processes, release }: InstallationDto) {
  const t = useT()
  const isAlive = (roles: readonly string[]) => processes.some(({ role, isSilent }) => roles.includes(role) && !isSilent)
  return (
    <Part title={t('installation.processes')} note={t('installation.processesNote', { release })}>
      {!isAlive(['all', 'worker']) && (
        <div className="mt-2">
          <Notice tone="bad">{t('installation.noWorker')}</Notice>
        </div>
      )}
      {processes.length > 0 && <ProcessTable processes={processes} release={release} />}
    </Part>
  )
}

function Replication({ required, standbys }: InstallationDto['replication']) {
  const t = useT()
  if (standbys === null)
    return (
      <Part title={t('installation.replication')}>
        <p className="mt-2">{t('installation.replicationUnknown')}</p>
        {required && <p className="mt-1">{t('installation.synchronousNote')}</p>}
      </Part>
    )
  const isBlocked = required && !standbys.some(({ isSynchronous }) => isSynchronous)
  return (
    <Part title={t('installation.replication')} {...(required ? { note: t('installation.synchronousNote') } : {})}>
      {isBlocked && (
        <div className="mt-2">
          <Notice tone="bad">{t('installation.noSynchronous')}</Notice>
        </div>
      )}
      {standbys.length === 0 && !required && <p className="mt-2">{t('installation.noStandby')}</p>}
      {standbys.length > 0 && <StandbyTable standbys={standbys} />}
    </Part>
  )
}

function Tasks({ count, failing }: InstallationDto['tasks']) {
  const t = useT()
  return (
    <Part title={t('installation.tasks')}>
      {failing.length > 0 ? (
        <TaskTable tasks={failing} />
      ) : (
        <p className="mt-2">{count === 0 ? t('installation.noTasks') : t('installation.tasksWork', { count })}</p>
      )}
    </Part>
  )
}

function Backups({ archive, backup, restoreTest }: InstallationDto) {
  const t = useT()
  const noteOf = (note: InstallationDto['backup'], never: string) =>
    note ? (
      <>
        <TimeText at={note.happenedAt} style="full" />
        {note.note && <span className="block text-second text-quiet">{note.note}</span>}
      </>
    ) : (
      <span className="text-quiet">{never}</span>
    )
  return (
    <Part title={t('installation.backups')} note={t('installation.backupsNote')}>
      <Card className="mt-2">
        <Facts
          nameClass="w-28 sm:w-40"
          facts={[
            { name: t('installation.archive'), value: <Archive archive={archive} /> },
            { name: t('installation.backup'), value: noteOf(backup, t('installation.noBackup')) },
            { name: t('installation.restoreTest'), value: noteOf(restoreTest, t('installation.noRestoreTest')) },
          ]}
        />
      </Card>
    </Part>
  )
}

function Archive({ archive }: Pick<InstallationDto, 'archive'>) {
  const t = useT()
  if (archive === null) return t('installation.archiveUnknown')
  if (!archive.isOn) return t('installation.archiveOff')
  return (
    <>
      {archive.failedAt && (
        <span className="block text-bad">
          {t('installation.archiveFails')} <TimeText at={archive.failedAt} />
        </span>
      )}
      {archive.lastAt ? (
        <>
          {t('installation.archivedLast')} <TimeText at={archive.lastAt} />
        </>
      ) : (
        t('installation.archiveEmpty')
      )}
    </>
  )
}
