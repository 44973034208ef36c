import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { loadOrOffer } from './on-demand.tsx'

/** A part whose code is loaded later; call `definePart` at module scope. `load` may be called before, to have it at hand. */
type Part<Props extends object> = { load: () => Promise<unknown>; Content: ComponentType<Props> }

export function definePart<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>): Part<Props> {
  return { load, Content: lazy(async () => ({ default: await loadOrOffer(async () => (await load()).default) })) }
}

/**
 * Shows a part that the server rendered, once its code is loaded. If that fails, only this part says so (`loadOrOffer`); the rest of the page
 * keeps working. What the server rendered stays as it is until the code has arrived: React would replace it by the fallback, and take the
 * focus from it, if its props changed before. A context that changes does the same, so such a part is rendered outside the providers of what
 * changes. What opens by a press needs none of this: `onDemand`.
 */
export function LazyPart<Props extends object>({
  part,
  props,
  // The page shows that the press was heard.
  fallback = <span data-leaving hidden />,
  subject,
}: {
  part: Part<Props>
  props: Props
  fallback?: ReactNode
  /** Identifies the subject of a part that would mislead if the old content stayed: when this changes, the fallback shows. */
  subject?: string
}) {
  const isHydrating = useSyncExternalStore(
    subscribeToNothing,
    () => false,
    () => true,
  )
  const [isHeld, setIsHeld] = useState(isHydrating)
  const { Content } = part
  const content = (
    <Suspense fallback={fallback}>
      <Content {...props} />
      <Shown onShown={() => setIsHeld(false)} />
    </Suspense>
  )
  // The same element, so that React passes over what is not hydrated yet.
  const [first] = useState({ content, subject })
  return isHeld && first.subject === subject ? first.content : content
}

function subscribeToNothing(): () => void {
  return () => undefined
}

/** Tells once that what is beside it is shown and hydrated. */
function Shown({ onShown }: { onShown: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first time matters
  useEffect(onShown, [])
  return null
}
