import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'

/** The fields `evidence` and `note` of an adjustment. `isMissing`: it was sent without evidence. */
export function EvidenceFields({ isMissing }: { isMissing: boolean }) {
  const t = useT()
  return (
    <>
      <TextField
        id="adjust-evidence"
        name="evidence"
        label={t('funding.evidence')}
        hint={t('funding.evidenceHint')}
        error={isMissing ? t('funding.evidenceMissing') : undefined}
        autoComplete="off"
        maxLength={200}
      />
      <TextField
        id="adjust-note"
        name="note"
        label={t('change.fact.note')}
        note={t('funding.optional')}
        autoComplete="off"
        maxLength={500}
      />
    </>
  )
}

/** The field `fees` of a late success: `taken` as those of any success, or `waived`. */
export function FeesField() {
  const t = useT()
  return (
    <Select id="adjust-fees" name="fees" label={t('change.fact.fees')} defaultValue="taken">
      <option value="taken">{t('funding.withFees')}</option>
      <option value="waived">{t('funding.waivesFees')}</option>
    </Select>
  )
}
