'use client'

import { createContext, type ReactNode, useContext, useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import { CHANGE_REFUSALS } from '#lib/approvals/change-refusals.ts'
import type { ProposedBatch, ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import { collectSecret, withdrawChange } from '../../../../actions/changes.ts'

const ConfirmDialog = onDemand(async () => (await import('./change-dialogs.tsx')).ConfirmDialog)
const RefuseDialog = onDemand(async () => (await import('./change-dialogs.tsx')).RefuseDialog)
const BatchDialog = onDemand(async () => (await import('./batch-dialog.tsx')).BatchDialog)
const OnceDialog = onDemand(async () => (await import('./once-dialog.tsx')).OnceDialog)

/** A value that is shown this once. */
type Once = { title: string; text: string; value: string }
type Opened =
  | { dialog: 'confirm' | 'refuse'; change: ProposedChangeDto; description: ReactNode }
  | { dialog: 'batch'; batch: ProposedBatch }
  | { dialog: 'once'; once: Once }

const Open = createContext<(opened: Opened) => void>(() => undefined)

type DialogsProps = { application: string; children: ReactNode }

/** The dialogs of a list of changes. They belong to the list: the row that opened one may be gone before it closes. */
export function ChangeDialogs({ application, children }: DialogsProps) {
  const t = useT()
  const [opened, open] = useState<Opened | null>(null)
  const onClose = () => open(null)
  return (
    <Open value={open}>
      {children}
      {opened?.dialog === 'confirm' && (
        <ConfirmDialog
          application={application}
          change={opened.change}
          description={opened.description}
          onClose={onClose}
          onLink={(link) => open({ dialog: 'once', once: { title: t('people.linkTitle'), text: t('people.linkText'), value: link } })}
        />
      )}
      {opened?.dialog === 'refuse' && (
        <RefuseDialog application={application} change={opened.change} description={opened.description} onClose={onClose} />
      )}
      {opened?.dialog === 'batch' && <BatchDialog application={application} batch={opened.batch} onClose={onClose} />}
      {opened?.dialog === 'once' && <OnceDialog {...opened.once} onClose={onClose} />}
    </Open>
  )
}

type Props = {
  application: string
  change: ProposedChangeDto
  /** The change as the list shows it. */
  description: ReactNode
  /** Why the viewer does not confirm it now; null if they may. */
  whyNot: string | null
}

/** Confirm and Refuse for the second person, Withdraw for the proposer, who in a sandbox may confirm a secret, the reason for everybody else. */
export function ChangeButtons({ application, change, description, whyNot }: Props) {
  const t = useT()
  const open = useContext(Open)
  const { changeId, mayDecide } = change
  const { run, error, isPending } = useAction(() => withdrawChange(application, { changeId }), {
    words: CHANGE_REFUSALS,
    said: () => t('change.withdrawnNow'),
    refreshes: 'done',
  })
  return (
    <div className="mt-3 grid gap-2">
      {error && <ErrorNotice error={error} />}
      {mayDecide === 'alone' && <p className="text-quiet">{t('change.aloneInSandbox')}</p>}
      <div className="flex flex-wrap items-center gap-2">
        {whyNot !== null && <NotAllowed reason={whyNot} />}
        {(mayDecide === true || mayDecide === 'alone') && whyNot === null && (
          <Button variant="primary" onClick={() => open({ dialog: 'confirm', change, description })}>
            {t('change.confirm')}
          </Button>
        )}
        {mayDecide === true && (
          <Button variant="danger" onClick={() => open({ dialog: 'refuse', change, description })}>
            {t('change.refuse')}
          </Button>
        )}
        {(mayDecide === 'own_proposal' || mayDecide === 'alone') && (
          <Button size="small" isBusy={isPending} onClick={() => run()}>
            {t('change.withdraw')}
          </Button>
        )}
      </div>
    </div>
  )
}

/** Confirms what somebody proposed together. */
export function BatchButton({ batch }: { batch: ProposedBatch }) {
  const t = useT()
  const open = useContext(Open)
  return (
    <Button variant="primary" onClick={() => open({ dialog: 'batch', batch })}>
      {t('change.batch.confirm', { count: batch.lines.length })}
    </Button>
  )
}

/** Makes the secret of a confirmed proposal and shows it, once: it is kept in the memory of the page only, until the dialog closes. */
export function CollectButton({ application, changeId }: { application: string; changeId: string }) {
  const t = useT()
  const open = useContext(Open)
  const { run, error, isPending, proofDialog } = useAction(() => collectSecret(application, { changeId }), {
    words: CHANGE_REFUSALS,
    withProof: (proof) => collectSecret(application, { changeId, proof }),
    refreshes: 'done',
    onDone: ({ name, value }) => open({ dialog: 'once', once: { title: t(`change.secret.${name}`), text: t('change.secretOnce'), value } }),
  })
  return (
    <div className="mt-3 grid justify-items-start gap-2">
      {error && <ErrorNotice error={error} />}
      <p>{t('change.collection.yours')}</p>
      <Button variant="primary" isBusy={isPending} onClick={() => run()}>
        {t('change.collect')}
      </Button>
      {proofDialog}
    </div>
  )
}
