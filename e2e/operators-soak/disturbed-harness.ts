import type { OperatorCode } from '#lib/operators/operators.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { FaultProxy, type Passing } from './fault-proxy.ts'
import { Repetitions } from './repetitions.ts'
import { submittedReference, unrecognisedReference } from './submissions.ts'

const CALL_TIMEOUT_MS = 500

type Disturbance = {
  /** Answers the first submission of each transfer; every other call is answered in order. */
  first(passing: Passing, reference: string, repetitions: Repetitions): Promise<void> | undefined
  /** Changes each call on its way, as a connector with a mistake would. */
  spoil?(passing: Passing): Passing
  documents?: Partial<Record<OperatorCode, Record<string, unknown>>>
}

export type Disturbed = { harness: OperatorHarness; repetitions: Repetitions; close(): Promise<void> }

/** Opens a service with all operators, each in its own protocol, behind a proxy that disturbs calls. */
export async function openDisturbed({ first, spoil = (passing) => passing, documents }: Disturbance): Promise<Disturbed> {
  const repetitions = new Repetitions()
  const seen = new Set<string>()
  let proxy: FaultProxy | undefined
  const calls = async (url: string) => {
    proxy = await FaultProxy.start({
      target: () => url,
      disturb: async (given) => {
        const passing = repetitions.follow(spoil(given))
        const reference = submittedReference(passing) ?? unrecognisedReference(passing)
        if (reference === undefined || seen.has(reference)) return repetitions.answer(passing)
        seen.add(reference)
        await first(passing, reference, repetitions)
      },
    })
    return proxy.url
  }
  const harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    documents,
    callTimeoutMs: CALL_TIMEOUT_MS,
    // A callback proves that the operator has the transfer: without one, a denial is believed.
    hasNoCallbacks: true,
    proxy: { calls, callbacks: async (url) => url },
  })
  return {
    harness,
    repetitions,
    async close() {
      await harness.close()
      await proxy?.close()
    },
  }
}
