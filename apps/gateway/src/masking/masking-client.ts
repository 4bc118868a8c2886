import { recordingMaskingSchema, type Problem, type RecordingMasking } from '@spandrel/contract';
import { Agent } from 'undici';
import type { CallerKey } from '../access/caller-key.js';
import { isWrongCredential } from '../access/is-wrong-credential.js';
import { attemptJson } from '../attempt-json.js';

/** What the API says of the rules of a project. */
export type MaskingAnswer =
  | { kind: 'known'; masking: RecordingMasking }
  /** The credential may not know. */
  | { kind: 'refused' }
  /** Nothing: it is away, or what answers is not the API. */
  | { kind: 'unavailable' };

const AWAY: MaskingAnswer = { kind: 'unavailable' };

/** Asks the API for the masking rules of a credential's project: `GET /api/masking` (docs/spec/masking.md#at-the-gateway). */
export class MaskingClient {
  private readonly agent: Agent;
  private readonly origin: string;
  private readonly path: string;
  private readonly ownAuthorization: string | null;

  /** @param apiKey the gateway's own credential, for calls without a caller's. */
  constructor(
    apiUrl: string,
    apiKey: string | null,
    private readonly timeoutMs: number,
  ) {
    const url = new URL(apiUrl);
    this.origin = url.origin;
    this.path = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/api/masking`;
    this.ownAuthorization = apiKey === null ? null : `Bearer ${apiKey}`;
    this.agent = new Agent({ connections: 4, pipelining: 0, connect: { timeout: timeoutMs } });
  }

  async ask(caller: CallerKey | null): Promise<MaskingAnswer> {
    const authorization = caller === null ? this.ownAuthorization : caller.authorization;
    if (caller !== null && authorization === null) return AWAY;
    try {
      const { statusCode, body } = await this.agent.request({
        origin: this.origin,
        path: this.path,
        method: 'GET',
        headers: authorization === null ? {} : { authorization },
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      return readAnswer(statusCode, await body.text());
    } catch {
      return AWAY;
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

function readAnswer(status: number, text: string): MaskingAnswer {
  const answer = attemptJson(text);
  if (status === 200) {
    const masking = recordingMaskingSchema.safeParse(answer).data;
    return masking ? { kind: 'known', masking } : AWAY;
  }
  const code = (answer as Partial<Problem> | null | undefined)?.code;
  return isWrongCredential(answer) || code === 'insufficient_scope' ? { kind: 'refused' } : AWAY;
}
