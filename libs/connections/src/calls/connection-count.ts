import type { buildConnector } from 'undici';

/** Counts the connections that are made, and knows by an error which one it came from. */
export class ConnectionCount {
  /** Connections made so far. */
  made = 0;
  private readonly brokenBy = new WeakMap<object, number>();

  /** The connector, its connections counted. */
  counting(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) =>
      connect(target, (...outcome) => {
        const [, socket] = outcome;
        if (socket) {
          const number = ++this.made;
          socket.once('error', (error) => this.brokenBy.set(error, number));
        }
        callback(...outcome);
      });
  }

  /** Whether an error broke one of the first so many connections. */
  brokeOneOf(first: number, error: object): boolean {
    return (this.brokenBy.get(error) ?? Infinity) <= first;
  }
}
