import { globSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isEvalDefinition, type EvalDefinition } from '@spandrel/sdk/eval';
import { UsageFault } from '../../client/exit-codes.js';

/** An eval that a file exports. */
export interface EvalFile {
  /** Relative to where the command runs. */
  file: string;
  definition: EvalDefinition;
}

/** What Node runs as it is. */
const LOADABLE = /\.[cm]?[jt]s$/;

/**
 * Loads files of evals: all of them, before any is run, so that a slip in the last one costs nothing.
 * @param patterns paths, or globs that the shell left alone.
 * @throws UsageFault for a pattern without a file, and a file that does not load or exports something else.
 */
export async function loadEvalFiles(patterns: readonly string[]): Promise<EvalFile[]> {
  const files: EvalFile[] = [];
  for (const file of filesOf(patterns)) files.push({ file, definition: await loadDefinition(file) });
  return files;
}

function filesOf(patterns: readonly string[]): string[] {
  const files = new Set<string>();
  for (const pattern of patterns) {
    // A name may have characters that a pattern would read otherwise: `[id].eval.ts`.
    const found = isFile(pattern) ? [pattern] : globSync(pattern).filter(isFile).sort();
    if (found.length === 0) throw new UsageFault(`${pattern}: there is no such file`);
    for (const each of found) files.add(relative('.', resolve(each)));
  }
  return [...files];
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

async function loadDefinition(file: string): Promise<EvalDefinition> {
  if (!LOADABLE.test(file)) throw new UsageFault(`${file}: is neither TypeScript nor JavaScript (.ts, .js, .mjs)`);
  const loaded = await load(file);
  const { default: exported } = loaded as { default?: unknown };
  if (isEvalDefinition(exported)) return exported;
  throw new UsageFault(
    `${file}: its default export must be made by defineEval of @spandrel/sdk/eval${exported === undefined ? '; it has none' : ''}`,
  );
}

async function load(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new UsageFault(`${file}: does not load\n${placeOf(error)}`);
  }
}

const FRAMES_MAX = 4;

/** What went wrong, and where: the stack as far as it is the user's. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error) && (typeof error !== 'object' || error === null || !('stack' in error)))
    return String(error);
  const lines = String((error as Error).stack ?? (error as Error).message).split('\n');
  const frames = lines.filter((line) => /^\s+at /.test(line) && !line.includes('node:internal'));
  return [...lines.filter((line) => line.trim() !== '' && !/^\s+at /.test(line)), ...frames.slice(0, FRAMES_MAX)].join(
    '\n',
  );
}
