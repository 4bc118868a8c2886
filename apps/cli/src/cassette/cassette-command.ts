import { createLogger, loadPlugins } from '@spandrel/kernel';
import {
  readBody,
  readCassette,
  writeCassette,
  type StoredEntry,
} from '../../../gateway/src/cassette/cassette-file.js';
import { differencesOf } from '../../../gateway/src/cassette/cassette-request.js';
import { maskOf, readCassetteRules } from '../../../gateway/src/cassette/cassette-rules.js';
import type { ClientProgram } from '../client/client-command.js';
import { CommandFailure, UsageFault } from '../client/exit-codes.js';
import { Output } from '../client/output/output.js';
import { commandSettings } from '../command-settings.js';
import { addFromSpans } from './from-spans.js';
import { hasMisses, summaryOf } from './run-command.js';
import { cassetteFile, runWithCassette } from './run-with-cassette.js';

/** Adds `spandrel cassette` (docs/cassettes.md). */
export function addCassette(client: ClientProgram, description: string): void {
  const { program, io } = client;
  const out = new Output(io, false);
  const cassette = program.command('cassette').description(description);
  cassette
    .command('show')
    .description('list the recordings of a cassette, or show one of them')
    .argument('<cassette>')
    .argument('[number]', 'the recording, from 1')
    .action(async (path: string, number?: string) => {
      const { entries } = read(path);
      if (number === undefined) return out.lines(entries.map(lineOf));
      const entry = entries[Number(number) - 1];
      if (!entry) throw new UsageFault(`${number}: the cassette has ${entries.length} recordings`);
      await out.text(entry.text);
    });
  cassette
    .command('check')
    .description('check that cassettes can be read, and that no key or token is on them')
    .argument('<cassette...>')
    .action(async (paths: string[]) => {
      const { maskers } = await loadPlugins(commandSettings([]).core.plugins, createLogger('silent', 'cassette'), [
        'masker',
      ]);
      const faults = paths.flatMap((path) => faultsOf(path, maskers).map((fault) => `${path}: ${fault}`));
      if (faults.length > 0) throw new CommandFailure(faults.join('\n'));
    });
  addFromSpans(client, cassette);
  cassette
    .command('prune')
    .description('take recordings off a cassette that a command does not use')
    .argument('<cassette>')
    .argument('<command...>', 'the command, behind --')
    .requiredOption('--unused', 'what no call of the command asked for')
    .action(async (path: string, command: string[]) => {
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
      await out.lines([`${content.entries.length - entries.length} removed, ${entries.length} kept`]);
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

/** @returns what is wrong with a cassette, a line a fault. */
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
