import { recordingMaskingSchema, type Problem, type RecordingMasking } from '@spandrel/contract';
import { ApiRequests, attemptJson, isWrongCredential, type ApiAnswer } from '../access/api-requests.js';
import type { CallerKey } from '../access/caller-key.js';

/** The answer of the API about a project's masking rules. */
export type MaskingAnswer =
  | { kind: 'known'; masking: RecordingMasking }
  /** The credential has no permission to read them. */
  | { kind: 'refused' }
  /** The API cannot be reached, or something else answers at its address. */
  | { kind: 'unavailable' };

const AWAY: MaskingAnswer = { kind: 'unavailable' };

/** Asks the API for the masking rules of a credential's project: `GET /api/masking` (docs/spec/masking.md#at-the-gateway). */
export class MaskingClient {
  private readonly requests: ApiRequests;
  private readonly ownAuthorization: string | null;

  /** @param apiKey the gateway's own credential, for calls without a caller's. */
  constructor(apiUrl: string, apiKey: string | null, timeoutMs: number) {
    this.requests = new ApiRequests(apiUrl, timeoutMs, 4, true);
    this.ownAuthorization = apiKey === null ? null : `Bearer ${apiKey}`;
  }

  async ask(caller: CallerKey | null): Promise<MaskingAnswer> {
    const authorization = caller === null ? this.ownAuthorization : caller.authorization;
    if (caller !== null && authorization === null) return AWAY;
    try {
      return readAnswer(await this.requests.send('/api/masking', authorization));
    } catch {
      return AWAY;
    }
  }

  async close(): Promise<void> {
    await this.requests.close();
  }
}

function readAnswer({ status, text }: ApiAnswer): MaskingAnswer {
  const answer = attemptJson(text);
  if (status === 200) {
    const masking = recordingMaskingSchema.safeParse(answer).data;
    return masking ? { kind: 'known', masking } : AWAY;
  }
  const code = (answer as Partial<Problem> | null | undefined)?.code;
  return isWrongCredential(answer) || code === 'insufficient_scope' ? { kind: 'refused' } : AWAY;
}
