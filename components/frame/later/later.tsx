'use client'

import { type ComponentType, useEffect, useState } from 'react'
import type { LaterProps } from './later-parts.tsx'

/**
 * Loads what no first paint needs: live updates, keys, what happens to links without a connection. Not `lazy`: if its code cannot be
 * loaded, the page works without it, and it is loaded when the connection returns.
 */
export function Later(props: LaterProps) {
  const [parts, setParts] = useState<{ Content: ComponentType<LaterProps> }>()
  useEffect(() => {
    const load = () => void import('./later-parts.tsx').then(({ LaterParts }) => setParts({ Content: LaterParts }), waitForConnection)
    const waitForConnection = () => addEventListener('online', load, { once: true })
    load()
    return () => removeEventListener('online', load)
  }, [])
  return parts && <parts.Content {...props} />
}
