/** What masking puts in the place of a value: `[email]`, `[email:` and 20 letters `]`. */
const MASKED = /\[([a-z0-9_-]+)(:[A-Za-z]{20})?\]/g;

/** Whether a text has what masking put in the place of a value. @param labels those that rules may have. */
export const holdsMasked = (text: string, labels: ReadonlySet<string>): boolean =>
  text.matchAll(MASKED).some(([, label, hash]) => hash !== undefined || labels.has(label!));
