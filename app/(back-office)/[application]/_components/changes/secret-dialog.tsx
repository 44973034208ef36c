'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { CollectedSecret } from '#lib/proposed-change.ts'

/**
 * Shows a secret once. It stays open until the secret was copied or the person says that it is stored: nothing shows it again. Plain text rather
 * than a field, which a browser would offer to remember. A default export, because it is loaded on demand.
 */
export default function SecretDialog({ secret, onClose }: { secret: CollectedSecret; onClose: () => void }) {
  const t = useT()
  const label = t(`change.secret.${secret.name}`)
  const [isStored, setIsStored] = useState(false)
  const [isWarned, setIsWarned] = useState(false)
  function mayClose(): boolean {
    setIsWarned(!isStored)
    return isStored
  }
  return (
    <Dialog title={label} onClose={onClose} mayClose={mayClose}>
      <div className="grid gap-4">
        <Notice tone="wait">{t('change.secretOnce')}</Notice>
        <div className="flex items-center gap-2 rounded-sm bg-sunken px-3 py-2">
          <output aria-label={label} className="min-w-0 flex-1 wrap-anywhere select-all" translate="no">
            {secret.value}
          </output>
          <CopyButton text={secret.value} label={label} onCopied={() => setIsStored(true)} />
        </div>
        <Checkbox label={t('change.secretStored')} checked={isStored} onChange={(event) => setIsStored(event.target.checked)} />
        {isWarned && !isStored && <Notice tone="bad">{t('change.secretNotStored')}</Notice>}
      </div>
      <DialogActions>
        <Button variant="primary" onClick={(event) => mayClose() && event.currentTarget.closest('dialog')?.close()}>
          {t('change.secretDone')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
