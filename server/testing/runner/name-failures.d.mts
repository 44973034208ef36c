export const SECOND_ATTEMPT: string
export function findFlaky(output: string): { title: string; lines: string[] }[]
export function findFailures(output: string): { title: string; lines: string[] }[]
export function describeFailures(failures: readonly { step: string; title: string; lines: readonly string[] }[]): string[]
