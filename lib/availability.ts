/** Whether submissions of one direction reach an operator: all of them, fewer at once, or none but a trial now and then. */
export type Availability = 'OPERATIONAL' | 'DELAYED' | 'CLOSED'
