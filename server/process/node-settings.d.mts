export declare const NODE_FLAGS: readonly string[]
export declare const ALLOCATOR_ENVIRONMENT: Readonly<Record<string, string>>
