/** Injection token of the typed settings ({@link Settings}), provided to every feature. */
export const SETTINGS = Symbol('settings');
