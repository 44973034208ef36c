export declare function readStripped(source: string): string | undefined
export declare function stripAll(): void
