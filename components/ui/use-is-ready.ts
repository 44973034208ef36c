import { useEffect, useState } from 'react'

/** Returns false while the server's markup has no script yet: until then, what somebody types or chooses would be lost. */
export function useIsReady(): boolean {
  const [isReady, setIsReady] = useState(false)
  useEffect(() => setIsReady(true), [])
  return isReady
}
