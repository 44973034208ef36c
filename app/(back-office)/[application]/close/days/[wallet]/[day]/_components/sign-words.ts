/** The messages of the refusals of preparing and signing a day. The amount that is unexplained is on the page. */
export const SIGN_WORDS = {
  already_signed: 'close.sign.obstacle.already_signed',
  not_over: 'close.sign.obstacle.not_over',
  not_sealed: 'close.sign.obstacle.not_sealed',
  not_covered: 'close.sign.obstacle.not_covered',
  unexplained: 'close.hasUnexplained',
  before_first: 'close.sign.obstacle.before_first',
  previous_open: 'close.sign.obstacle.previous_open',
  opening_differs: 'close.sign.obstacle.opening_differs',
  not_prepared: 'close.sign.not_prepared',
  own_preparation: 'close.sign.own_preparation',
  maker: 'close.sign.maker',
  changed: 'close.sign.changed',
} as const
