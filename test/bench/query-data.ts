import Database from 'better-sqlite3';
import { random } from '../support/random.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
const TRANSACTION_ROWS = 50_000;
const SPANS_PER_TRACE = 8;

/** Spans of the one trace that is huge. */
export const HUGE_TRACE = { id: 'huge', spans: 20_000 };

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'claude-haiku', 'gemini-pro', 'gemini-flash', 'llama-70b'];
const RARE_MODELS = ['o3', 'mistral', 'qwen', 'phi', 'rare-model'];
const PROVIDERS = ['openai', 'anthropic', 'google', 'rare-provider'];
const KINDS = ['llm_call', 'tool_call', 'chain', 'retrieval'];
const WORDS = 'the agent answers a customer about an order that was late and offers to send it again at no cost'.split(
  ' ',
);

/** Every so many spans one has the values that few have. */
const RARE_EVERY = 50_000;

/**
 * Fills an empty database, which the API has made, with finished spans spread evenly over the last 30 days: traces of
 * eight, most of them LLM calls, few names, models and providers that are common and some that are rare, every thousandth
 * failed. Written behind the API's back and without its durability: a million in a fraction of a minute. The secondary
 * indexes are made again at the end.
 * @returns when the first and the last span started, in milliseconds since the epoch.
 */
export function fillSpans(file: string, count: number): { from: number; to: number } {
  const db = new Database(file);
  db.exec('pragma synchronous = off; pragma cache_size = -524288; pragma temp_store = memory');
  const indexes = db
    .prepare(
      "select name, sql from sqlite_master where type = 'index' and tbl_name in ('span', 'trace') and sql not null",
    )
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) db.exec(`drop index ${name}`);
  const to = Math.floor(Date.now() / 1_000) * 1_000;
  const from = to - DAYS * DAY_MS;
  const writer = new Writer(db);
  for (let n = 0; n < count; n += TRANSACTION_ROWS) {
    db.transaction(() => {
      for (let i = n; i < Math.min(n + TRANSACTION_ROWS, count); i++) {
        writer.span(i, from + Math.floor((i / count) * DAYS * DAY_MS), count);
      }
    })();
  }
  for (const { sql } of indexes) db.exec(sql);
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  return { from, to };
}

class Writer {
  private readonly insertTrace: Insert;
  private readonly insertTag: Insert;
  private readonly insertSpan: Insert;
  private readonly insertPayload: Insert;
  private readonly below = random(7);

  constructor(db: Database.Database) {
    this.insertTrace = inserter(db, 'trace');
    this.insertTag = inserter(db, 'trace_tag');
    this.insertSpan = inserter(db, 'span');
    this.insertPayload = inserter(db, 'span_payload');
  }

  span(n: number, startedAt: number, count: number): void {
    const id = spanId(n);
    const huge = n >= count - 2 * HUGE_TRACE.spans && n < count - HUGE_TRACE.spans;
    const inTrace = n % SPANS_PER_TRACE;
    const traceId = huge ? HUGE_TRACE.id : `trace-${Math.floor(n / SPANS_PER_TRACE)}`;
    if (huge ? n === count - 2 * HUGE_TRACE.spans : inTrace === 0) this.trace(traceId, n, startedAt, huge);
    const rare = n % RARE_EVERY === RARE_EVERY - 1;
    const kind = rare ? 'rare-kind' : KINDS[Math.min(Math.floor(this.skewed(8) / 2), 3)]!;
    const llm = kind === 'llm_call' || rare;
    const model = rare
      ? RARE_MODELS[RARE_MODELS.length - 1 - (Math.floor(n / RARE_EVERY) % 2)]!
      : MODELS[this.skewed(MODELS.length)]!;
    const provider = rare ? PROVIDERS[3]! : PROVIDERS[this.skewed(3)]!;
    const duration = rare ? 3_600_000 + n : 20 + this.below(this.below(10) === 0 ? 60_000 : 4_000);
    const tokens = rare ? 1_000_000 + n : 50 + this.below(4_000);
    const failed = this.below(1_000) === 0;
    const name = rare ? 'rare name' : `step ${this.below(2) === 0 ? this.skewed(40) : this.below(40)}`;
    this.insertSpan({
      project_id: 'local',
      id,
      trace_id: traceId,
      parent_id: huge ? spanId(count - 2 * HUGE_TRACE.spans) : inTrace === 0 ? null : spanId(n - inTrace),
      name,
      status: failed ? 2 : 1,
      kind_type: kind,
      model: llm ? model : null,
      provider: llm ? provider : null,
      input_tokens: llm ? tokens - 20 : null,
      output_tokens: llm ? 20 : null,
      total_tokens: llm ? tokens : null,
      cost: llm ? (rare ? 100 + n : tokens * 2.5e-6) : null,
      started_at: startedAt,
      ended_at: startedAt + duration,
      duration_ms: duration,
      create_hash: null,
    });
    this.insertPayload({
      project_id: 'local',
      span_id: id,
      kind: JSON.stringify({
        type: kind,
        ...(llm && { model, provider, input_tokens: tokens - 20, output_tokens: 20 }),
      }),
      input: JSON.stringify([{ role: 'user', content: this.text(140) }]),
      output: JSON.stringify({ text: `${this.text(50)}${rare ? ' needle' : ''}`, finish_reason: 'stop' }),
      metadata: '{}',
      error: failed ? '"timeout"' : null,
    });
  }

  private trace(id: string, n: number, startedAt: number, huge: boolean): void {
    const number = Math.floor(n / SPANS_PER_TRACE);
    const tags = [...(number % 3 === 0 ? ['prod'] : []), ...(number % 5_000 === 0 ? ['rare-tag'] : [])];
    const session = number % 5_000 === 0 ? 'rare-session' : number % 4 === 0 ? 'busy-session' : null;
    this.insertTrace({
      project_id: 'local',
      id,
      name: 'conversation',
      session_id: session,
      user_id: null,
      tags: JSON.stringify(tags),
      metadata: '{}',
      started_at: startedAt,
      create_hash: null,
      status: 1,
      span_count: huge ? HUGE_TRACE.spans : SPANS_PER_TRACE,
      running_count: 0,
      error_count: 0,
      total_tokens: 0,
      cost_usd: 0,
      cost_pico: 0,
      cost_count: 0,
      models: '[]',
      last_ended_at: startedAt,
    });
    for (const tag of tags) this.insertTag({ project_id: 'local', tag, started_at: startedAt, trace_id: id });
  }

  /** Below `n`; half of the time 0, half of the rest 1, and so on. */
  private skewed(n: number): number {
    return Math.min(Math.clz32(this.below(4_294_967_296)), this.below(n) + 1, n - 1);
  }

  private text(words: number): string {
    let text = '';
    for (let i = 0; i < words; i++) text += `${WORDS[this.below(WORDS.length)]} `;
    return text;
  }
}

/** The id of the nth span: ids ascend with the start, as ULIDs do, and are as long. */
export const spanId = (n: number): string => `01J${String(n).padStart(23, '0')}`;

type Insert = (row: Record<string, string | number | null>) => void;

/** Inserts rows into the columns that they name. */
function inserter(db: Database.Database, table: string): Insert {
  let statement: Database.Statement | undefined;
  return (row) => {
    const columns = Object.keys(row);
    statement ??= db.prepare(
      `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    );
    statement.run(Object.values(row));
  };
}
