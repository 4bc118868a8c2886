import { createLogger, loadPlugins } from '@spandrel/kernel';
import { readBody, readCassette, writeCassette, StoredEntry } from '../../../gateway/src/cassette/cassette-file.js';
import { differencesOf, RequestMatch } from '../../../gateway/src/cassette/cassette-request.js';
import { maskOf, readCassetteRules } from '../../../gateway/src/cassette/cassette-rules.js';
import { type ClientProgram, clientCommand, type ClientCall } from '../client/client-command.js';
import { CommandFailure, UsageFault } from '../client/exit-codes.js';
import { Output } from '../client/output/output.js';
import { commandSettings } from '../command-settings.js';
import { hasMisses, summaryOf } from './run-command.js';
import { cassetteFile, runWithCassette } from './run-with-cassette.js';
import { existsSync } from 'node:fs';
import { spanFiltersSchema, type SpanResource } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import type { Command } from 'commander';
import { LeftOut, reconstruct } from '../../../gateway/src/cassette/reconstruct.js';
import { addParameterFlags, readParameters } from '../client/parameter-flags.js';

interface JsonOption {
  json?: boolean;
}

const JSON_OPTION = ['--json', 'answer in JSON'] as const;

/** Adds `spandrel cassette` (docs/cassettes.md). */
export function addCassette(client: ClientProgram, description: string): void {
  const { program, io } = client;
  const outOf = ({ json = false }: JsonOption): Output => new Output(io, json);
  const cassette = program.command('cassette').description(description);
  cassette
    .command('show')
    .description('list the recordings of a cassette, or show one of them')
    .argument('<cassette>')
    .argument('[number]', 'the recording, from 1')
    .option(...JSON_OPTION)
    .action(async (path: string, number: string | undefined, options: JsonOption) => {
      const { entries } = read(path);
      const out = outOf(options);
      if (number === undefined) {
        if (!out.json) return out.lines(entries.map(lineOf));
        return out.document({ recordings: entries.map(({ label, entry }) => ({ label, ...entry })) });
      }
      const entry = entries[Number(number) - 1];
      if (!entry) throw new UsageFault(`${number}: the cassette has ${entries.length} recordings`);
      await (out.json ? out.document({ label: entry.label, ...entry.entry }) : out.text(entry.text));
    });
  cassette
    .command('check')
    .description('check that cassettes can be read, and that no key or token is on them')
    .argument('<cassette...>')
    .option(...JSON_OPTION)
    .action(async (paths: string[], options: JsonOption) => {
      const { maskers } = await loadPlugins(commandSettings([]).core.plugins, createLogger('silent', 'cassette'), [
        'masker',
      ]);
      const faults = paths.flatMap((path) => faultsOf(path, maskers).map((fault) => `${path}: ${fault}`));
      if (options.json) await outOf(options).document({ faults });
      if (faults.length > 0) throw new CommandFailure(faults.join('\n'));
    });
  addFromSpans(client, cassette);
  cassette
    .command('prune')
    .description('take recordings off a cassette that a command does not use')
    .argument('<cassette>')
    .argument('<command...>', 'the command, behind --')
    .requiredOption('--unused', 'what no call of the command asked for')
    .option(...JSON_OPTION)
    .action(async (path: string, command: string[], options: JsonOption) => {
      const out = outOf(options);
      const run = { cassette: path, mode: 'replay', timing: 'none' };
      const ended = await runWithCassette(run, command, process.env);
      summaryOf(ended).forEach((line) => out.note(line));
      if (ended.code !== 0 || ended.reports.length === 0 || hasMisses(ended.reports)) {
        throw new CommandFailure('nothing is removed: the command failed, called nothing, or missed a call');
      }
      const unused = new Set(ended.reports.flatMap((report) => report.unused.map(({ index }) => index)));
      const content = read(path);
      const entries = content.entries.filter((_, index) => !unused.has(index));
      writeCassette(cassetteFile(path), { ...content, entries });
      const [removed, kept] = [content.entries.length - entries.length, entries.length];
      await (out.json ? out.document({ removed, kept }) : out.lines([`${removed} removed, ${kept} kept`]));
    });
}

function read(path: string): NonNullable<ReturnType<typeof readCassette>> {
  const content = readCassette(cassetteFile(path));
  if (content === null) throw new CommandFailure(`${cassetteFile(path)}: there is no such file`);
  return content;
}

function lineOf({ label, entry }: StoredEntry, index: number): string {
  const { answer, usage = {}, reconstructed } = entry;
  const tokens = Object.values(usage).reduce((sum, count) => sum + count, 0);
  const facts = [
    `${answer.status}${answer.cut ? ' cut' : ''}`,
    ...(answer.events ? [`${answer.events.length} events`] : []),
    ...(tokens > 0 ? [`${tokens} tokens`] : []),
    ...(reconstructed ? ['reconstructed'] : []),
  ];
  return `${String(index + 1).padStart(4)}  ${label}  ${facts.join(', ')}`;
}

function faultsOf(path: string, maskers: Parameters<typeof maskOf>[1]): string[] {
  try {
    const file = cassetteFile(path);
    const mask = maskOf(readCassetteRules(file), maskers);
    return read(path).entries.flatMap((stored, index) => {
      const place = `recording ${index + 1} (${stored.label})`;
      const { entry } = stored;
      if (typeof entry?.answer?.status !== 'number' || typeof entry.request?.method !== 'string') {
        return [`${place}: has no request or no answer`];
      }
      if (entry.answer.file !== undefined) readBody(file, entry.answer.file);
      return differencesOf(entry, mask(entry), 3).map(({ path: at }) => `${place}: ${at} holds a key or a token`);
    });
  } catch (error) {
    return [(error as Error).message];
  }
}

interface FromOptions {
  output: string;
  max: string;
}

type Query = Record<string, unknown>;

function addFromSpans(client: ClientProgram, cassette: Command): void {
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
