import { definePart } from '#components/ui/lazy-part.tsx'

export const SELECTION = definePart(() => import('./selection.tsx'))
