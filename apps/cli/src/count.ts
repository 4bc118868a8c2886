/** `1 span`, `2 spans`. @param noun in the singular, of those that take an s. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
