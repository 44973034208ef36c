'use client'

import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'

/** The link of an invitation, shown this once. */
export default function LinkDialog({ link, onClose }: { link: string; onClose: () => void }) {
  const t = useT()
  return (
    <Dialog title={t('people.linkTitle')} onClose={onClose}>
      <p>{t('people.linkText')}</p>
      <p className="mt-3 flex items-start gap-1.5 rounded-md border border-line p-3">
        <output aria-label={t('people.link')} className="min-w-0 flex-1 break-all select-all">
          {link}
        </output>
        <CopyButton text={link} label={t('people.link')} />
      </p>
      <DialogActions>
        <Button variant="primary" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
          {t('people.linkDone')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
