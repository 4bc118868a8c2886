import { hash, timingSafeEqual } from 'node:crypto';
import type { Caller } from '@spandrel/http';
import type { CoreSettings } from '@spandrel/kernel';
import type { AccessSettings } from '../access.settings.js';

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The tokens of the settings: what the operator of the service holds (docs/spec/access.md#the-operators-tokens). */
export class OperatorTokens {
  private readonly tokens: readonly { digest: Buffer; caller: Caller }[];

  constructor(
    { adminToken }: Pick<AccessSettings, 'adminToken'>,
    { metricsToken }: Pick<CoreSettings, 'metricsToken'>,
  ) {
    const operator = { scope: null, permissions: [], expiresAt: null };
    this.tokens = [
      ...(adminToken === null
        ? []
        : [{ digest: digest(adminToken), caller: { kind: 'admin_token' as const, id: 'admin', ...operator } }]),
      ...(metricsToken === null
        ? []
        : [{ digest: digest(metricsToken), caller: { kind: 'metrics_token' as const, id: 'metrics', ...operator } }]),
    ];
  }

  /** The caller that a token belongs to. Takes the same time for tokens that exist and that do not. */
  find(credential: string): Caller | undefined {
    if (this.tokens.length === 0) return undefined;
    const given = digest(credential);
    return this.tokens.find((token) => timingSafeEqual(token.digest, given))?.caller;
  }
}
