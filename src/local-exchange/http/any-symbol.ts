/** Stands for a symbol that the caller left out. */
export const ANY_SYMBOL = '*';
