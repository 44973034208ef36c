'use client'

import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import type { RunPanelProps } from './run-panel.tsx'

const PANEL = definePart(async () => ({ default: (await import('./run-panel.tsx')).RunPanel }))

/** Below an example, for a reader who may run it. Its code is loaded by nobody else. */
export function ExampleRun(props: RunPanelProps) {
  return <LazyPart part={PANEL} props={props} />
}
