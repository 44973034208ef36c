import { useEffect, useState } from 'react'

/** Returns a value once it has not changed for a moment, so that what is typed quickly is one request. An object must keep its identity. */
export function usePaused<Value>(value: Value, pauseMs: number): Value {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return paused
}
