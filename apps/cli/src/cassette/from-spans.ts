import { existsSync } from 'node:fs';
import { spanFiltersSchema, type SpanResource } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { createLogger, loadPlugins } from '@spandrel/kernel';
import type { Command } from 'commander';
import { StoredEntry, writeCassette } from '../../../gateway/src/cassette/cassette-file.js';
import { RequestMatch } from '../../../gateway/src/cassette/cassette-request.js';
import { maskOf, readCassetteRules } from '../../../gateway/src/cassette/cassette-rules.js';
import { LeftOut, reconstruct } from '../../../gateway/src/cassette/reconstruct.js';
import { clientCommand, type ClientCall, type ClientProgram } from '../client/client-command.js';
import { CommandFailure, UsageFault } from '../client/exit-codes.js';
import { addParameterFlags, readParameters } from '../client/parameter-flags.js';
import { commandSettings } from '../command-settings.js';
import { cassetteFile } from './run-with-cassette.js';

interface FromOptions {
  output: string;
  max: string;
}

type Query = Record<string, unknown>;

/** Adds `cassette from-trace` and `from-spans`, which make a cassette of what a gateway recorded. */
export function addFromSpans(client: ClientProgram, cassette: Command): void {
  const add = (name: string, description: string): Command =>
    cassette
      .command(name)
      .description(description)
      .requiredOption('-o, --output <cassette>', 'the cassette, which must not exist')
      .option('--max <number>', 'so many spans of each list, the newest ones', '1000');
  const traces = add('from-trace', 'make a cassette of the calls of traces').argument('<trace...>');
  clientCommand<FromOptions, [string[]]>(client, traces, (call, ids) =>
    makeCassette(
      call,
      ids.map((id) => ({ trace_id: id })),
    ),
  );
  const spans = add('from-spans', 'make a cassette of the calls that filters find');
  addParameterFlags(spans, spanFiltersSchema);
  clientCommand<FromOptions, []>(client, spans, (call) =>
    makeCassette(call, [readParameters(spanFiltersSchema, call.options)]),
  );
}

async function makeCassette({ api, out, options }: ClientCall<FromOptions>, queries: Query[]): Promise<void> {
  const file = cassetteFile(options.output);
  if (existsSync(file)) throw new UsageFault(`${file} exists: remove it first, or give another name`);
  if (!/^[1-9]\d*$/.test(options.max)) throw new UsageFault('--max: must be a whole number from 1');
  const { core } = commandSettings([]);
  const { maskers, providers } = await loadPlugins(core.plugins, createLogger('silent', 'cassette'), [
    'masker',
    'provider',
  ]);
  const spans: SpanResource[] = [];
  for (const query of queries) {
    let count = 0;
    const list = api.pages('listSpans', { query: { kind: 'llm_call', limit: 100, ...query } as never });
    for await (const span of list as AsyncIterable<SpanResource>) {
      if (count++ === Number(options.max)) break;
      // Numbers as a cassette has them.
      spans.push(JSON.parse(JSON.stringify(span)) as SpanResource);
    }
  }
  // Labels that people gave are known where the key may record.
  const { rules } = await api.getRecordingMasking().catch(() => ({ rules: [] }));
  const labels = new Set([
    'redacted',
    'masked',
    ...maskers.map(({ extension }) => extension.label),
    ...rules.map(({ label }) => label),
  ]);
  const own = readCassetteRules(file);
  const [mask, match] = [maskOf(own, maskers), new RequestMatch(own.ignore)];
  const entries: StoredEntry[] = [];
  const leftOut = new Map<string, number>();
  for (const span of spans.toSorted((a, b) => a.started_at.localeCompare(b.started_at))) {
    try {
      entries.push(StoredEntry.of(mask(reconstruct(span, providers, labels)), match));
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      leftOut.set(error.message, (leftOut.get(error.message) ?? 0) + 1);
    }
  }
  const reasons = [...leftOut].map(([reason, count]) => `${count} left out: ${reason}`);
  if (entries.length === 0) throw new CommandFailure(['there is no call to put together', ...reasons].join('\n'));
  writeCassette(file, { ignore: own.ignore, entries });
  if (out.json) return out.document({ file, recordings: entries.length, left_out: Object.fromEntries(leftOut) });
  await out.lines([`${file}: ${formatCounted(entries.length, 'call')} put together`, ...reasons]);
}
