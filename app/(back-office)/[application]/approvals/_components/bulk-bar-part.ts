import { definePart } from '#components/ui/lazy-part.tsx'

export const BULK_BAR = definePart(() => import('./bulk-bar.tsx'))
