import { StartError } from '@spandrel/kernel/launch';
import { DEMO_MARKS } from './demo-settings.js';

/** The gateway, called as any other program calls it, with the fake model behind it. */
export class GatewayClient {
  constructor(
    private readonly url: string,
    private readonly modelUrl: string,
  ) {}

  /** Makes sure that calls reach the fake model; nothing is recorded. @throws StartError with what is in the way. */
  async check(): Promise<void> {
    const response = await this.send('GET', '/v1/models', {});
    const text = await response.text();
    if (response.ok && text.includes('spandrel-demo')) return;
    const reason = /"(?:detail|message)":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text.slice(0, 200);
    throw new StartError([
      `${this.url}: the gateway cannot reach the fake model at ${this.modelUrl}: ${response.status} ${reason}`,
    ]);
  }

  /** Makes a call and waits for the end of its answer, whatever its status: the demo makes calls that fail. */
  async call(path: string, body: object, place: { traceId: string; parentId?: string }): Promise<string> {
    const headers = {
      'content-type': 'application/json',
      'x-spandrel-trace-id': place.traceId,
      ...(place.parentId !== undefined && { 'x-spandrel-parent-id': place.parentId }),
    };
    return (await this.send('POST', path, headers, JSON.stringify(body))).text();
  }

  private async send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Response> {
    try {
      return await fetch(this.url + path, {
        method,
        headers: { ...headers, 'x-forward-url': this.modelUrl + DEMO_MARKS.modelPath },
        ...(body !== undefined && { body }),
      });
    } catch (error) {
      const fault = `${this.url}: the gateway does not answer there (${describeCause(error)}); it runs beside the API unless --no-gateway is set, see --gateway-port`;
      throw new StartError([fault]);
    }
  }
}

/** Why a request got no answer, in the words of the system: `ECONNREFUSED`. */
export function describeCause(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
  return cause?.code ?? cause?.message ?? message;
}
