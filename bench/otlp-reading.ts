import { importSource } from './libs.ts';
import { jsonExport, protobufExport } from './otlp-export.ts';

const { spansOfProtobuf } = (await importSource(
  'libs/otlp/src/decode/read-protobuf.ts',
)) as typeof import('../libs/otlp/src/decode/read-protobuf.ts');
const { spansOfJson } = (await importSource(
  'libs/otlp/src/decode/read-json.ts',
)) as typeof import('../libs/otlp/src/decode/read-json.ts');
const { ItemBudget } = (await importSource(
  'libs/otlp/src/decode/item-budget.ts',
)) as typeof import('../libs/otlp/src/decode/item-budget.ts');
const { DialectReader } = (await importSource(
  'libs/otlp/src/reading/dialect-reader.ts',
)) as typeof import('../libs/otlp/src/reading/dialect-reader.ts');
const { readSpan } = (await importSource(
  'libs/otlp/src/reading/read-span.ts',
)) as typeof import('../libs/otlp/src/reading/read-span.ts');
const { otlpType } = (await importSource(
  'libs/otlp/fixtures/otlp-schema.ts',
)) as typeof import('../libs/otlp/fixtures/otlp-schema.ts');

const SPANS = 512;
const READS_A_TURN = 10;
const WARM_UP_TURNS = 5;
const ITEMS_MAX = 2_000_000;
const BODY_BYTES = 10_485_760;

const DIALECTS = [
  ...['langfuse', 'openinference', 'vercel-ai', 'claude-code', 'mlflow', 'langsmith'],
  ...['traceloop', 'logfire', 'mastra', 'google-adk', 'genkit', 'codex', 'livekit'],
  ...['sentry', 'typed-spans', 'gen-ai'],
];

/** All built-in dialects, in their order. */
export async function builtInDialects(): Promise<InstanceType<typeof DialectReader>> {
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const loaded = DIALECTS.map(async (name) => {
    const { default: plugin } = (await importSource(
      `plugins/dialects/${name}/index.ts`,
    )) as typeof import('../plugins/dialects/gen-ai/index.ts');
    return { name, extension: await plugin.setup({ logger }, {}) };
  });
  return new DialectReader(await Promise.all(loaded), (dialect, error) => {
    throw new Error(`${dialect} threw`, { cause: error });
  });
}

const ignore = (): void => undefined;

/** What the spans of an export in protobuf are stored as, with everything that the wire has. */
export function readExport(body: Buffer, dialects: InstanceType<typeof DialectReader>) {
  return [...spansOfProtobuf(body, new ItemBudget(ITEMS_MAX))].map((span) => readSpan(span, dialects, BODY_BYTES).span);
}

export type ReadingWay =
  | 'protobuf'
  | 'with dialects'
  | 'as stored'
  | 'JSON'
  | 'JSON.parse'
  | 'protobufjs'
  | 'protobufjs, plain';

/**
 * CPU of this thread for reading one span of an export of 512, in microseconds: means of turns that alternate. The system
 * may count CPU in ticks of 4 ms, a quarter of a turn, so that medians would be whole ticks.
 */
export async function measureReading(turns: number): Promise<Record<ReadingWay, number>> {
  const dialects = await builtInDialects();
  const body = protobufExport(SPANS, 1);
  const text = jsonExport(SPANS, 1);
  const request = otlpType('ExportTraceServiceRequest');
  const ways: Record<ReadingWay, () => unknown> = {
    protobuf: () => all(spansOfProtobuf(body, new ItemBudget(ITEMS_MAX))),
    'with dialects': () => {
      for (const span of spansOfProtobuf(body, new ItemBudget(ITEMS_MAX))) dialects.read(span);
    },
    'as stored': () => readExport(body, dialects),
    JSON: () => all(spansOfJson(text, new ItemBudget(ITEMS_MAX))),
    'JSON.parse': () => JSON.parse(text) as unknown,
    protobufjs: () => request.decode(body),
    'protobufjs, plain': () => request.toObject(request.decode(body)),
  };
  const names = Object.keys(ways) as ReadingWay[];
  const figures = Object.fromEntries(names.map((way) => [way, 0])) as Record<ReadingWay, number>;
  for (let turn = -WARM_UP_TURNS; turn < turns; turn++) {
    for (const way of names) {
      const before = process.threadCpuUsage();
      for (let reads = 0; reads < READS_A_TURN; reads++) ways[way]();
      const { user, system } = process.threadCpuUsage(before);
      if (turn >= 0) figures[way] += (user + system) / READS_A_TURN / SPANS / turns;
    }
  }
  return figures;
}

function all(spans: Iterable<unknown>): number {
  let count = 0;
  for (const span of spans) if (span !== undefined) count++;
  return count;
}
