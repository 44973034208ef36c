'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'

/** The link of an invitation, shown this once. It stays open until the link was copied or the person says that it is stored. */
export default function LinkDialog({ link, onClose }: { link: string; onClose: () => void }) {
  const t = useT()
  const [isStored, setIsStored] = useState(false)
  const [isWarned, setIsWarned] = useState(false)
  function mayClose(): boolean {
    setIsWarned(!isStored)
    return isStored
  }
  return (
    <Dialog title={t('people.linkTitle')} onClose={onClose} mayClose={mayClose}>
      <div className="grid gap-4">
        <p>{t('people.linkText')}</p>
        <p className="flex items-start gap-1.5 rounded-md border border-line p-3">
          <output aria-label={t('people.link')} className="min-w-0 flex-1 break-all select-all">
            {link}
          </output>
          <CopyButton text={link} label={t('people.link')} onCopied={() => setIsStored(true)} />
        </p>
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
