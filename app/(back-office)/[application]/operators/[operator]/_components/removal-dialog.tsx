'use client'

import type { FormEvent } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ProtocolSettings } from '#lib/operator-settings.ts'
import { protocolName } from '../../_components/protocol-text.ts'
import { useSettingsProposal } from './use-settings-proposal.ts'

type Props = { application: string; settings: ProtocolSettings; onClose: () => void }

/** Proposes to remove the settings of one protocol. A default export, because it is loaded on demand. */
export default function RemovalDialog({ application, settings, onClose }: Props) {
  const t = useT()
  const { propose, error, isPending } = useSettingsProposal(application, settings, onClose)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    propose(null)
  }
  return (
    <FormDialog
      title={t('operators.removeOf', { protocol: protocolName(t, settings.protocol) })}
      submitLabel={t('change.propose')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t('operators.removeText')}</p>
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}
