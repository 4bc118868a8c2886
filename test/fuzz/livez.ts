import { sendRequest } from '../support/send-request.ts';

/** Asks `/livez` of a port again and again, on connections of its own. */
export class Livez {
  readonly millis: number[] = [];
  private readonly url: string;
  private readonly lost: (why: string) => void;
  private stopped = false;
  private readonly asking: Promise<void>;

  /** @param lost is called when no answer came within `boundMs`, or one that is not 200. */
  constructor(url: string, boundMs: number, hasEnded: () => boolean, lost: (why: string) => void) {
    this.url = `${url}/livez`;
    this.lost = lost;
    this.asking = this.ask(boundMs, hasEnded);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.asking;
  }

  private async ask(boundMs: number, hasEnded: () => boolean): Promise<void> {
    while (!this.stopped) {
      const began = performance.now();
      const timer = Promise.withResolvers<string>();
      const late = setTimeout(() => timer.resolve('no answer'), boundMs);
      const answer = sendRequest(this.url, { method: 'GET', headers: {} }).then(
        ({ status }) => (status === 200 ? '' : `status ${status}`),
        (error: unknown) => String(error),
      );
      const fault = await Promise.race([answer, timer.promise]);
      clearTimeout(late);
      if (fault === '') this.millis.push(performance.now() - began);
      else if (!this.stopped && !hasEnded()) this.lost(`${this.url}: ${fault}`);
      await new Promise((done) => setTimeout(done, 250));
    }
  }
}
