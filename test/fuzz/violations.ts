import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from './check-answers.ts';
import { TOKEN, type Plan } from './plan.ts';

/** An exchange as a file has it, from which `--replay` repeats the plan. */
export interface Recorded {
  plan: Plan;
  exchange?: Exchange;
}

const FILES_A_KIND = 3;
/** Bytes of an answer that a file has of each end. */
const SHOWN = 4_000;

const shortened = (text: string): string =>
  text.length <= 2 * SHOWN
    ? text
    : `${text.slice(0, SHOWN)} … ${text.length - 2 * SHOWN} bytes … ${text.slice(-SHOWN)}`;

/** What should not have happened, by kind, with files of the first of each. */
export class Violations {
  private readonly kinds = new Map<string, { count: number; files: string[]; first: string }>();
  private readonly folder: string;

  /** @param folder takes the files; it is made when there is something to write. */
  constructor(folder: string) {
    this.folder = folder;
  }

  get count(): number {
    return [...this.kinds.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** @param what happened, in a line. @param where the kind of plan, or the part of the program. */
  add(where: string, what: string, exchanges: readonly Recorded[] = [], log = ''): void {
    const name = `${where}: ${what
      .replaceAll(TOKEN, 'TOKEN')
      .replaceAll(/\d{4,}/g, 'N')
      .slice(0, 160)}`;
    const kind = this.kinds.get(name) ?? { count: 0, files: [], first: what };
    this.kinds.set(name, kind);
    kind.count++;
    if (kind.files.length >= FILES_A_KIND) return;
    mkdirSync(this.folder, { recursive: true });
    const slug = where.replaceAll(/\W+/g, '-').toLowerCase();
    const file = join(this.folder, `${slug}-${this.kinds.size}-${kind.count}.json`);
    const kept = exchanges.map(({ plan, exchange }) => ({
      plan,
      ...(exchange && { exchange: { ...exchange, received: shortened(exchange.received) } }),
    }));
    writeFileSync(file, `${JSON.stringify({ what, log, exchanges: kept }, null, 1)}\n`);
    kind.files.push(file);
    console.log(`  VIOLATION ${name}\n            ${file}`);
  }

  /** A line for each kind, the most frequent first. */
  lines(): string[] {
    return [...this.kinds]
      .sort(([, a], [, b]) => b.count - a.count)
      .map(([name, { count, files }]) => `${String(count).padStart(6)}  ${name}\n        ${files[0] ?? ''}`);
  }
}
