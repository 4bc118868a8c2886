import type { AccessSettings } from '../access.settings.js';
import type { Rates } from './take-tokens.js';

/** Limits of their own, `null` where they have none. */
export interface OwnLimits {
  /** That of the organization. */
  rateLimit: number | null;
  projectRateLimit: number | null;
  /** That of the API key; left out for other credentials. */
  keyRateLimit?: number | null;
}

type LimitSettings = Pick<
  AccessSettings,
  'requestsPerSecond' | 'projectRequestsPerSecond' | 'keyRequestsPerSecond' | 'projectShare'
>;

/** The limits that hold for a credential (docs/spec/limits.md#requests-of-a-project-and-of-a-key). */
export function ratesOf({ rateLimit, projectRateLimit, keyRateLimit }: OwnLimits, settings: LimitSettings): Rates {
  const org = rateLimit ?? settings.requestsPerSecond;
  return {
    org,
    project: projectRateLimit ?? settings.projectRequestsPerSecond,
    key: keyRateLimit === undefined ? null : (keyRateLimit ?? settings.keyRequestsPerSecond),
    guaranteed: settings.projectShare === 0 ? 0 : Math.max(1, org * settings.projectShare),
  };
}
