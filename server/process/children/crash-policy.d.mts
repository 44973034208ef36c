export const CRASH_EXIT_CODE: 70
export function isCrash(code: number | null, signal: NodeJS.Signals | null): boolean
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number
export function describeEnd(code: number | null, signal: NodeJS.Signals | null): string
export type CrashPolicy = { note(): number | undefined }
export function createCrashPolicy(options?: { now?: () => number; windowMs?: number }): CrashPolicy
