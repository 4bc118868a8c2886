import type { KeyChecks, Verdict } from '../access/key-checks.js';
import type { RecordingRules } from './recording-rules.js';

/** Checks callers' keys, and has a call wait a moment for the masking rules of its project where they are not known as they are now. */
export function keysWithRules(
  keys: Pick<KeyChecks, 'check'>,
  rules: Pick<RecordingRules, 'ready'>,
): Pick<KeyChecks, 'check'> {
  const withRules = (verdict: Verdict): Verdict | Promise<Verdict> => {
    const ready = verdict.ok ? rules.ready(verdict.caller) : undefined;
    return ready ? ready.then(() => verdict) : verdict;
  };
  return {
    check: (key) => {
      const verdict = keys.check(key);
      return verdict instanceof Promise ? verdict.then(withRules) : withRules(verdict);
    },
  };
}
