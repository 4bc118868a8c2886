import { get, type ClientRequest } from 'node:http';

const RETRY_MS = 200;
const ID = /^id: (\d+)$/gm;

/** A client of the event stream that comes back after every kill and counts numbers that are not the next one. */
export class SoakListener {
  /** Events that came. */
  events = 0;
  /** Numbers that were not the one behind the one before. */
  faults = 0;
  private lastId = 0;
  private rest = '';
  private request: ClientRequest | undefined;
  private isOver = false;
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
    this.open();
  }

  close(): void {
    this.isOver = true;
    this.request?.destroy();
  }

  private open(): void {
    if (this.isOver) return;
    // What came of an event that was cut off comes again, whole.
    this.rest = '';
    const again = (): void => void setTimeout(() => this.open(), RETRY_MS).unref();
    const headers = { accept: 'text/event-stream', 'last-event-id': String(this.lastId) };
    this.request = get(`${this.url}/api/events?view=outline`, { headers, agent: false }, (answer) => {
      answer.setEncoding('latin1').on('data', (text: string) => this.read(text));
      answer.on('error', () => undefined).on('close', again);
    }).on('error', again);
  }

  private read(text: string): void {
    const all = this.rest + text;
    // An event ends with an empty line: only then has all of it come.
    const end = all.lastIndexOf('\n\n') + 2;
    if (end === 1) {
      this.rest = all;
      return;
    }
    this.rest = all.slice(end);
    for (const [, id] of all.slice(0, end).matchAll(ID)) {
      if (Number(id) !== this.lastId + 1) this.faults++;
      this.lastId = Number(id);
      this.events++;
    }
  }
}
