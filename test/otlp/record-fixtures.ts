/**
 * Records what real instrumentations export, as fixtures of the dialects that read them:
 *
 *     node_modules/.bin/node test/otlp/record-fixtures.ts [sender …]
 *     node_modules/.bin/node test/otlp/record-fixtures.ts --from FOLDER sender
 *
 * The second form runs a sender of `senders-elsewhere.ts` with the packages that are installed in a folder.
 * Each fixture is a span as it was sent, with what its dialect reads from it now: read the difference before you commit it.
 */
import '../../bin/require-node.mjs';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Dialect, OtelMap, OtelSpan, OtelValue } from '@spandrel/plugin-api';
import { startFakeProvider } from '../fake-provider/start-fake-provider.ts';
import { freePort } from '../support/ports.ts';
import { runSender, SENDERS, type Sender } from './run-sender.ts';
import { SENDERS_ELSEWHERE } from './senders-elsewhere.ts';

const { values, positionals: chosen } = parseArgs({ options: { from: { type: 'string' } }, allowPositionals: true });
/** Where the packages of the senders are. */
const folder = resolve(values.from ?? '.');

const { importSource } = (await import(resolve('scripts/load-typescript.mjs'))) as {
  importSource(path: string): Promise<unknown>;
};
const load = async <Module>(path: string): Promise<Module> => (await importSource(path)) as Module;

const { ItemBudget } = await load<typeof import('../../libs/otlp/src/decode/item-budget.js')>(
  'libs/otlp/src/decode/item-budget.ts',
);
const { spansOfJson } = await load<typeof import('../../libs/otlp/src/decode/read-json.js')>(
  'libs/otlp/src/decode/read-json.ts',
);
const { spansOfProtobuf } = await load<typeof import('../../libs/otlp/src/decode/read-protobuf.js')>(
  'libs/otlp/src/decode/read-protobuf.ts',
);
const { logsOfJson } = await load<typeof import('../../libs/otlp/src/decode/read-json.js')>(
  'libs/otlp/src/decode/read-json.ts',
);
const events = await load<typeof import('../../libs/otlp/src/write/log-event.js')>('libs/otlp/src/write/log-event.ts');
const testing = await load<typeof import('../../libs/plugin-api/src/testing/index.js')>(
  'libs/plugin-api/src/testing/index.ts',
);

const provider = await startFakeProvider({ port: await freePort() });

async function record(sender: Sender): Promise<void> {
  const spans = await spansOf(sender);
  const { default: plugin } = await load<{ default: Parameters<typeof testing.setUpPlugin>[0] }>(
    `plugins/dialects/${sender.dialect}/index.ts`,
  );
  const dialect = (await testing.setUpPlugin(plugin, {})) as unknown as Dialect;
  const recorded = spans
    .filter((span) => testing.isClaimed(dialect.claims, span))
    .map((span) => ({ span: plainSpan(span), reading: testing.plainReading(dialect.read(span)) }));
  const versions = Object.fromEntries(sender.packages.map((name) => [name, versionOf(name)]));
  const file = resolve(`plugins/dialects/${sender.dialect}/fixtures/${sender.name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `${withoutChance(JSON.stringify({ recorded_from: versions, spans: recorded }, null, 1), spans)}\n`,
  );
  process.stdout.write(`${file}: ${recorded.length} of ${spans.length} spans\n`);
}

/** What a sender exports; log records of a span are a span that has nothing but events. */
async function spansOf(sender: Sender): Promise<OtelSpan[]> {
  const spans: OtelSpan[] = [];
  const rows = new Map<string, Awaited<ReturnType<typeof events.eventRows>>>();
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks);
      const isJson = request.headers['content-type'] === 'application/json';
      const items = new ItemBudget(1_000_000);
      if (request.url!.endsWith('/v1/traces')) {
        spans.push(...(isJson ? spansOfJson(body.toString(), items) : spansOfProtobuf(body, items)));
      } else if (request.url!.endsWith('/v1/logs')) {
        for (const row of await events.eventRows(
          [...logsOfJson(body.toString(), items)].map(events.eventRecord),
          '',
          0,
          0,
        )) {
          rows.set(row.spanId, [...(rows.get(row.spanId) ?? []), row]);
        }
      }
      response.writeHead(200, { 'content-type': request.headers['content-type'] ?? 'application/json' });
      response.end(isJson || request.method === 'GET' ? '{}' : '');
    });
  });
  const port = await freePort();
  await new Promise<void>((done) => collector.listen(port, '127.0.0.1', done));
  const base = `http://127.0.0.1:${port}`;
  const environment = {
    OPENAI_BASE_URL: `${provider.url}/v1`,
    ...(sender.environment?.(base, 'any') ?? {
      OTEL_EXPORTER_OTLP_ENDPOINT: base,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_SERVICE_NAME: 'tides',
    }),
  };
  const said = await runSender(programOf(sender), environment, folder);
  if (said !== '') process.stderr.write(`${sender.name} says:\n${said}\n`);
  collector.close();
  const ofLogs = [...rows].map(([spanId, own]) =>
    events.spanOfEvents(own[0]!.traceId, spanId, own.map(events.eventOfRow)),
  );
  return [...spans.toSorted((a, b) => Number(a.startUnixNano - b.startUnixNano)), ...ofLogs];
}

/** A sender's program, copied to where its packages are: imports are looked for beside it. */
function programOf(sender: Sender): Pick<Sender, 'program'> {
  if (values.from === undefined) return sender;
  const copy = join(folder, 'senders');
  cpSync(resolve('test/otlp/senders'), copy, { recursive: true });
  const [file, ...args] = sender.program;
  return { program: [join(copy, file!), ...args] };
}

/** A span as `otelSpan()` takes it, without what names the machine. */
function plainSpan({ events: own, attributes, resource, scope, status, links, ...span }: OtelSpan) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    kind: span.kind,
    startUnixNano: String(span.startUnixNano),
    endUnixNano: String(span.endUnixNano),
    scope,
    ...(status.code !== 'unset' && { status }),
    attributes: plainMap(attributes),
    ...(own.length > 0 && {
      events: own.map((event) => ({ name: event.name, attributes: plainMap(event.attributes) })),
    }),
    ...(links.length > 0 && { links: links.map((link) => ({ ...link, attributes: plainMap(link.attributes) })) }),
    resource: plainMap(new Map([...resource].filter(([name]) => name.startsWith('telemetry.')))),
  };
}

const plainMap = (map: OtelMap): Record<string, unknown> =>
  Object.fromEntries([...map].map(([name, value]) => [name, plainValue(value)]));

function plainValue(value: OtelValue): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  return value instanceof Map ? plainMap(value) : value;
}

/** The text with ids by number, without paths and ports of this run. */
function withoutChance(text: string, spans: readonly OtelSpan[]): string {
  const traces = [...new Set(spans.map(({ traceId }) => traceId))];
  const ids = [...new Set(spans.map(({ spanId }) => spanId))];
  const uuids = [...new Set(text.match(UUID) ?? [])];
  let plain = text.replaceAll(`${folder}/`, '/app/').replaceAll(`:${provider.port}/`, ':4010/');
  plain = plain.replaceAll(`"server.port": ${provider.port}`, '"server.port": 4010');
  traces.forEach((id, at) => (plain = plain.replaceAll(id, (at + 1).toString(16).padStart(32, '0'))));
  ids.forEach((id, at) => (plain = plain.replaceAll(id, (at + 1).toString(16).padStart(16, '0'))));
  uuids.forEach((id, at) => (plain = plain.replaceAll(id, `${NO_UUID}${(at + 1).toString(16).padStart(12, '0')}`)));
  // Claude Code names its user by a hash.
  return plain.replaceAll(/"[0-9a-f]{64}"/g, `"${'0'.repeat(64)}"`);
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const NO_UUID = '00000000-0000-4000-8000-';

function versionOf(name: string): string {
  const { name: real, version } = JSON.parse(
    readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
  ) as {
    name: string;
    version: string;
  };
  return real === name ? version : `${real}@${version}`;
}

for (const sender of values.from === undefined ? SENDERS : SENDERS_ELSEWHERE) {
  if (chosen.length > 0 && !chosen.includes(sender.name)) continue;
  await record(sender);
}
await provider.close();
