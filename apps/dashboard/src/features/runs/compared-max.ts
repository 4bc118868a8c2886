/** The most runs that one comparison takes. */
export const COMPARED_MAX = 4;
