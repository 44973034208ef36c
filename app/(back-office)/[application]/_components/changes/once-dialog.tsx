import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { Dialog, DialogActions } from '#components/ui/overlay/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'

type Props = { title: string; text: string; value: string; onClose: () => void }

/**
 * Shows a secret or a link once. It stays open until the value was copied or the person says that it is stored: nothing shows it again. Plain
 * text rather than a field, which a browser would offer to remember.
 */
export function OnceDialog({ title, text, value, onClose }: Props) {
  const t = useT()
  const [isStored, setIsStored] = useState(false)
  const [isWarned, setIsWarned] = useState(false)
  function mayClose(): boolean {
    setIsWarned(!isStored)
    return isStored
  }
  return (
    <Dialog title={title} onClose={onClose} mayClose={mayClose}>
      <div className="grid gap-4">
        <Notice tone="wait">{text}</Notice>
        <div className="flex items-center gap-2 rounded-sm bg-sunken px-3 py-2">
          <output aria-label={title} className="min-w-0 flex-1 wrap-anywhere select-all" translate="no">
            {value}
          </output>
          <CopyButton text={value} label={title} onCopied={() => setIsStored(true)} />
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
