'use client'

import { Skeleton } from '#components/ui/display/page.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import type { RuleFields } from '#lib/rules/rule-form.ts'

/** Rendered on the server like the rest; its script follows, because it brings react-hook-form and zod. */
const EDITOR = definePart(() => import('./rule-editor.tsx'))

export function RuleEditorPart(props: { application: string; initial: RuleFields[]; keptAs: string }) {
  return <LazyPart part={EDITOR} props={props} fallback={<Skeleton className="mt-5 h-[30rem] w-full" />} />
}
