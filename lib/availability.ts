/** Whether submissions of one direction reach an operator: all of them, fewer at once, or none but a trial now and then. */
export const AVAILABILITIES = ['OPERATIONAL', 'DELAYED', 'CLOSED'] as const
export type Availability = (typeof AVAILABILITIES)[number]
