'use client'

import { Dialog } from '#components/ui/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ApprovalRow } from '#lib/approvals.ts'
import { ApprovalPanel } from './approval-panel.tsx'

/** The panel where there is no room beside the list: from the side, on a phone from below. */
export default function ApprovalSheet({ row, onClose }: { row: ApprovalRow; onClose: () => void }) {
  const t = useT()
  return (
    <Dialog title={t('approvals.panel.title', { name: row.customerName })} placement="side" isTitleHidden onClose={onClose}>
      <div data-approval-sheet className="pt-6">
        <ApprovalPanel row={row} isSheet />
      </div>
    </Dialog>
  )
}
