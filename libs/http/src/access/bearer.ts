const BEARER = /^Bearer +([^\s]+) *$/i;

/** The credential in the header `Authorization`; `undefined` when it is of another scheme, or none. */
export const bearerOf = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1];
