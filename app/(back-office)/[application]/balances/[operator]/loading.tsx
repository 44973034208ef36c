import { PageSkeleton } from '#components/ui/display/page.tsx'
import { getT } from '#server/back-office/preferences.ts'

export default async function Loading() {
  return <PageSkeleton label={(await getT())('ui.loading')} rows={10} rowHeight={40} />
}
