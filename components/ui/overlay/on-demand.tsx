import { type ComponentType, lazy, Suspense, useState } from 'react'
import { Button } from '../button.tsx'
import { useT } from '../translations.tsx'

type Load<Props> = () => Promise<ComponentType<Props>>

/**
 * Returns a component whose code is loaded when it is first shown: a dialog, a form that a button opens. Call it at module scope. If the code
 * cannot be loaded (the connection is away, a new version was deployed), it says so in its place and offers to try again.
 */
export function onDemand<Props extends object>(load: Load<Props>): ComponentType<Props> {
  const Content = lazy(async () => ({ default: await loadOrOffer(load) }))
  return (props: Props) => (
    // The page shows that the press was heard.
    <Suspense fallback={<span data-leaving hidden />}>
      <Content {...props} />
    </Suspense>
  )
}

/** The component, or one that offers to load it again: React keeps the first outcome of `lazy`, so another try is made inside it. */
export function loadOrOffer<Props extends object>(load: Load<Props>): Promise<ComponentType<Props>> {
  const store: { loaded?: ComponentType<Props> } = {}
  // biome-ignore lint/plugin/no-silent-error: A chunk that did not arrive, which the component says.
  return load().catch(() => (props: Props) => <NotLoaded load={load} store={store} props={props} />)
}

type NotLoadedProps<Props> = { load: Load<Props>; store: { loaded?: ComponentType<Props> }; props: Props }

function NotLoaded<Props extends object>({ load, store, props }: NotLoadedProps<Props>) {
  const t = useT()
  const [, setIsLoaded] = useState(false)
  const [hasRetried, setHasRetried] = useState(false)
  if (store.loaded) return <store.loaded {...props} />
  async function retry() {
    try {
      store.loaded = await load()
      setIsLoaded(true)
    } catch {
      // A second failure: the code is probably that of an earlier deployment.
      setHasRetried(true)
    }
  }
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 p-4 text-ink-2">
      {t(hasRetried ? 'state.partReload' : 'state.partFailed')}
      <Button size="small" onClick={() => void retry()}>
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
