'use client'

import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import type { RuleFields } from '#lib/rule-form.ts'

/** Rendered on the server like the rest; its script follows, because it brings react-hook-form and zod. */
const EDITOR = definePart(() => import('./rule-editor.tsx'))

export function RuleEditorPart(props: { application: string; initial: RuleFields[]; keptAs: string }) {
  return <LazyPart part={EDITOR} props={props} fallback={<Skeleton className="mt-5 h-[30rem] w-full" />} />
}
