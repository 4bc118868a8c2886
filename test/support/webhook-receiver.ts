/** A receiver of webhooks. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a receiver of webhooks took. */
interface Received {
  headers: IncomingHttpHeaders;
  text: string;
}

/** A receiver of webhooks, which may be down. */
export class Receiver {
  status = 204;
  readonly received: Received[] = [];
  attempts = 0;
  private readonly server: Server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      this.attempts++;
      if (this.status < 300) this.received.push({ headers: request.headers, text });
      response.writeHead(this.status).end();
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What an alert sent, in its order. */
  of = (alertId: string) =>
    this.received
      .map(({ text }) => JSON.parse(text) as { type: string; key: string | null; value: number; alert: { id: string } })
      .filter(({ alert }) => alert?.id === alertId);

  close = () => this.server.close();
}
