const HOUR_MS = 3_600_000;

/** How long a session lasts without a request (docs/spec/sign-in.md#when-a-session-ends). */
export const UNUSED_MS_MAX = 12 * HOUR_MS;

/** How long a session lasts however much it is used. */
export const SESSION_MS_MAX = 7 * 24 * HOUR_MS;

/** How exactly the last use is kept: an active browser costs a write a minute. */
export const USE_NOTED_MS = 60_000;
