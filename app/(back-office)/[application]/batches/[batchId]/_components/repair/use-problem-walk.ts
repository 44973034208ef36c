import { useEffect, useState } from 'react'
import { announce } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { BatchRowDto, ProblemPages } from '#lib/batches/batches.ts'
import { type CellPlace, nextProblem } from '#lib/batches/cell-place.ts'

type Walk = { from: CellPlace; step: 1 | -1; askedPage: number | null }

type Options = {
  rows: readonly BatchRowDto[]
  page: number
  pages: ProblemPages
  /** Something is being saved: the rows of this page, and which pages have problems, are about to change. */
  isBusy: boolean
  hrefFor: (page: number) => string
  onFound: (place: CellPlace) => void
}

/**
 * Goes from problem to problem, at once on the page that is shown and over its end once everything is saved: rows without problems leave
 * the list, and those behind them move up.
 */
export function useProblemWalk({ rows, page, pages, isBusy, hrefFor, onFound }: Options) {
  const t = useT()
  const router = useRouter()
  const [walk, setWalk] = useState<Walk | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: goes on when what is shown has changed, not when the page is drawn again
  useEffect(() => {
    if (walk === null) return
    const found = nextProblem(rows, walk.from, walk.step)
    if (found) {
      setWalk(null)
      onFound(found)
      return
    }
    if (isBusy || (walk.askedPage !== null && walk.askedPage !== page)) return
    const target = walk.step === 1 ? pages.next : pages.previous
    if (target === null) {
      setWalk(null)
      announce(t(walk.step === 1 ? 'batches.repair.lastProblem' : 'batches.repair.firstProblem'))
      return
    }
    setWalk({ ...walk, askedPage: target })
    router.push(hrefFor(target), { scroll: false })
  }, [walk, rows, page, isBusy, pages.next, pages.previous])
  return {
    go: (from: CellPlace, step: 1 | -1) => setWalk({ from, step, askedPage: null }),
    stop: () => setWalk(null),
  }
}
