import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingSource } from '@spandrel/kernel/launch';

/** The npm scripts that run this program with flags of it, as one writes them. */
const COMMANDS: Readonly<Record<string, string>> = {
  start: 'npm start',
  server: 'npm run server',
  gateway: 'npm run gateway',
};

type Environment = Readonly<Record<string, string | undefined>>;

interface KeptFlag {
  flag: string;
  /** `null` for one that takes none; `undefined` where npm passed it on as an argument. */
  value: string | null | undefined;
}

/**
 * Finds flags that npm kept for itself: `npm start --port 4000`, without `--` before them. The program gets the variable
 * `npm_config_port`, and `4000` in it or as an argument, as the version of npm is.
 * @param args what came after the command's name.
 * @param sources every flag that there is.
 * @returns one line that says how to write it, `undefined` where npm kept none. What an .npmrc sets is no flag.
 */
export function npmFlagFault(
  args: readonly string[],
  env: Environment,
  sources: readonly SettingSource[],
): string | undefined {
  const command = COMMANDS[env['npm_lifecycle_event'] ?? ''];
  if (command === undefined || !env['npm_lifecycle_script']?.includes('spandrel')) return undefined;
  const kept = sources.map((source) => keptFlag(source, env)).filter((flag) => flag !== undefined);
  if (kept.length === 0) return undefined;
  const values = args.filter((arg) => !arg.startsWith('-'));
  const isPlain = values.length === 1 && kept.filter(({ value }) => value === undefined).length === 1;
  const written = kept.map(({ flag, value = isPlain ? values[0]! : '…' }) =>
    value === null ? flag : `${flag} ${value}`,
  );
  return `npm took ${kept.map(({ flag }) => flag).join(', ')} for its own; write flags behind "--": ${command} -- ${written.join(' ')}`;
}

/** npm turns `--no-gateway` into an empty `npm_config_gateway`, and a flag whose value it did not see into `true`. */
function keptFlag({ flag, kind }: SettingSource, env: Environment): KeptFlag | undefined {
  if (flag === undefined) return undefined;
  const name = flag.replace(/^--(no-)?/, '');
  const value = env[`npm_config_${name.replaceAll('-', '_')}`];
  if (value === undefined || isInNpmrc(name, env)) return undefined;
  const isOff = value === '' || value === 'false';
  if (flag.startsWith('--no-')) return isOff ? { flag, value: null } : undefined;
  if (kind === 'boolean') return { flag: isOff ? `--no-${name}` : flag, value: null };
  return { flag, value: value === 'true' || isOff ? undefined : value };
}

/** Whether one of npm's files sets that name: it is meant for something else then, and stops no start. */
function isInNpmrc(name: string, env: Environment): boolean {
  const project = env['npm_config_local_prefix'];
  const files = [env['npm_config_userconfig'], env['npm_config_globalconfig'], project && join(project, '.npmrc')];
  const line = new RegExp(`^\\s*${name.replaceAll('-', '[-_]')}\\s*(=|$)`, 'm');
  return files.some((file) => file && line.test(textOf(file)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
