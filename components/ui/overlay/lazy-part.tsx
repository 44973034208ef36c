import {
  Component,
  type ComponentType,
  type LazyExoticComponent,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react'
import { Button } from '../button.tsx'
import { useT } from '../translations.tsx'

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>

/** A part whose code is loaded later; call `definePart` at module scope. `load` may be called before, to have it at hand. */
type Part<Props extends object> = { load: Load<Props>; Content: LazyExoticComponent<ComponentType<Props>> }

export function definePart<Props extends object>(load: Load<Props>): Part<Props> {
  const loadOrSay = () =>
    load().catch((cause: unknown) => {
      throw new PartLoadError('The code of a part could not be loaded', { cause })
    })
  return { load: loadOrSay, Content: lazy(loadOrSay) }
}

class PartLoadError extends Error {}

/**
 * Shows a part of a page once it is loaded. If its code cannot be loaded (the connection is away, a new version was deployed), only this
 * part says so and offers to try again; the rest of the page keeps working. What the server rendered stays as it is until its code has arrived:
 * React would replace it by the fallback, and take the focus from it, if its props changed before. A context that changes does the same, so
 * such a part is rendered outside the providers of what changes.
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
  const [, setTries] = useState(0)
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
  return (
    <PartBoundary
      onRetry={() => {
        // React keeps the outcome of a load, so another try is another lazy component.
        part.Content = lazy(part.load)
        setIsHeld(false)
        setTries((tries) => tries + 1)
      }}
    >
      {isHeld && first.subject === subject ? first.content : content}
    </PartBoundary>
  )
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

class PartBoundary extends Component<{ onRetry: () => void; children: ReactNode }, { failure: unknown; hasRetried: boolean }> {
  override state: { failure: unknown; hasRetried: boolean } = { failure: null, hasRetried: false }

  static getDerivedStateFromError(failure: unknown) {
    return { failure }
  }

  override render() {
    const { failure } = this.state
    if (failure === null) return this.props.children
    // A failure of the part itself is one of the page, whose error page reports it.
    if (!(failure instanceof PartLoadError)) throw failure
    return (
      <PartFailed
        hasRetried={this.state.hasRetried}
        onRetry={() => {
          this.props.onRetry()
          this.setState({ failure: null, hasRetried: true })
        }}
      />
    )
  }
}

/** After a second failure the code is probably that of an earlier deployment: then a reload is offered, never done unasked. */
function PartFailed({ hasRetried, onRetry }: { hasRetried: boolean; onRetry: () => void }) {
  const t = useT()
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 p-4 text-ink-2">
      {t(hasRetried ? 'state.partReload' : 'state.partFailed')}
      <Button size="small" onClick={onRetry}>
        {t('ui.retry')}
      </Button>
      {hasRetried && (
        <Button size="small" onClick={() => location.reload()}>
          {t('state.reload')}
        </Button>
      )}
    </div>
  )
}
