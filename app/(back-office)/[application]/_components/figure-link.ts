/** A figure that links to its list, tall enough for a pointer. The faint line says so without a pointer; paper has none. */
export const FIGURE_LINK =
  'inline-block py-0.5 underline decoration-line-2 decoration-1 underline-offset-4 hover:decoration-current print:no-underline'
