/** One page of a list. `total` counts the whole list, exactly, in the same snapshot as the rows. */
export type Page<Row> = { rows: Row[]; total: bigint; page: number; size: number }

/** 0-indexed page and its size, both already checked at the edge. */
export type PageRequest = { page: number; size: number }
