export function moveToMemory(): void
