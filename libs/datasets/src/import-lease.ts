/** How long an import is left alone after the process that works on it has last been heard of. */
const LEASE_MS = 30_000;

/** The end of a lease taken or renewed now. */
export const leaseUntil = (): number => Date.now() + LEASE_MS;
