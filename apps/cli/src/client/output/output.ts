import { write, decodeText, type CommandIo } from '../command-io.js';
import { paintFor, Table, type Paint, type Column } from './table.js';
import { cleanJson, manyLines, oneLine } from './text.js';

/** What a command shows. Recorded texts go through it, so that none of their control characters reach a terminal. */
export class Output {
  readonly isTerminal: boolean;
  readonly paint: Paint;
  /** Columns of the terminal; `undefined` where nothing is to be cut. */
  readonly width: number | undefined;

  constructor(
    private readonly io: CommandIo,
    readonly json: boolean,
  ) {
    const { stdout, env } = io;
    this.isTerminal = stdout.isTTY === true;
    this.paint = paintFor(stdout, env);
    this.width = this.isTerminal ? (stdout.columns ?? 80) : undefined;
  }

  /** Writes text or bytes as they are: of files, and what was cleaned before. */
  raw = (chunk: string | Uint8Array): Promise<void> => write(this.io.stdout, chunk, this.io.signal);

  /** Writes lines that hold no recorded text, or a cleaned one. */
  lines = (lines: readonly string[]): Promise<void> => this.raw(lines.map((line) => `${line}\n`).join(''));

  text = (text: string): Promise<void> => this.raw(`${manyLines(text)}\n`);

  document = (value: unknown): Promise<void> =>
    this.raw(`${cleanJson(JSON.stringify(value, undefined, this.isTerminal ? 2 : undefined))}\n`);

  /** Writes a JSON document of one line, of which there are many. */
  jsonLine = (value: unknown): Promise<void> => this.raw(`${cleanJson(JSON.stringify(value))}\n`);

  /** Writes an answer as it comes, JSON cleaned always, anything else on a terminal; files and pipes get its bytes. */
  async stream(body: ReadableStream<Uint8Array>, form: 'json' | 'text'): Promise<void> {
    if (form === 'text' && !this.isTerminal) {
      for await (const chunk of body) await this.raw(chunk);
      return;
    }
    const clean = form === 'json' ? cleanJson : manyLines;
    let last = '';
    for await (const text of decodeText(body)) {
      await this.raw(clean(text));
      last = text.at(-1) ?? last;
    }
    if (last !== '' && last !== '\n') await this.raw('\n');
  }

  table = <Row>(columns: readonly Column<Row>[]): Table<Row> =>
    new Table(columns, { width: this.width, paint: this.paint });

  /** Says what was written to a file: with `--json` as a document, else as a note. */
  async wrote(facts: { file: string; [counted: string]: unknown }, sentence: string): Promise<void> {
    if (this.json) await this.document(facts);
    else this.note(`wrote ${sentence}`);
  }

  note(text: string): void {
    this.io.stderr.write(`${oneLine(text)}\n`);
  }
}
