import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { stopOnSignals } from '@spandrel/kernel/launch';
import type { CassetteReport } from '../../../gateway/src/cassette/cassette.js';
import { AppThread } from '../serve.js';

const SUFFIX = '.cassette.yaml';

/** @returns the file of a cassette, as people name it: `tests/chat`, or the file itself. */
export const cassetteFile = (path: string): string => resolve(path.endsWith(SUFFIX) ? path : path + SUFFIX);

/** @returns the name of a cassette below the folder of its file. */
export const cassetteName = (file: string): string => basename(file, SUFFIX);

export interface CassetteRun {
  cassette: string;
  mode: string;
  timing: string;
}

export interface CassetteRunEnd {
  /** That of the command; 128 and the signal's number for one that a signal ended, which is how shells have it. */
  code: number;
  reports: CassetteReport[];
  isWritten: boolean;
}

/** Settings of programs that would have this gateway be another one. */
const OTHER_GATEWAYS = ['SPOOL_DIR', 'API_KEY', 'API_URL', 'GATEWAY_PORT'];

/**
 * Runs a command with a gateway of its own that answers from a cassette, or records it. Signals go on to the command.
 * @throws StartError when the gateway cannot start; Error when the command cannot.
 */
export async function runWithCassette(
  { cassette, mode, timing }: CassetteRun,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<CassetteRunEnd> {
  const file = cassetteFile(cassette);
  const own = Object.fromEntries(
    Object.entries(env).filter(([name]) => !OTHER_GATEWAYS.some((other) => name.startsWith(`SPANDREL_${other}`))),
  );
  const gateway = new AppThread(
    'gateway',
    ['--gateway-port', '0'],
    {
      ...own,
      SPANDREL_MODE: 'local',
      SPANDREL_HOST: '127.0.0.1',
      SPANDREL_CASSETTE_DIR: dirname(file),
      SPANDREL_CASSETTE_NAME: cassetteName(file),
      SPANDREL_CASSETTE_MODE: mode,
      SPANDREL_CASSETTE_TIMING: timing,
      SPANDREL_LOG_LEVEL: env['SPANDREL_LOG_LEVEL'] ?? 'warn',
    },
    () => undefined,
  );
  const { port } = await gateway.ready;
  const url = `http://127.0.0.1:${port}`;
  let ended: number | NodeJS.Signals;
  try {
    ended = await runCommand(command, {
      // Clients insist on a key that nobody asks for.
      ...(mode === 'replay' && { OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none' }),
      ...env,
      OPENAI_BASE_URL: `${url}/v1`,
      ANTHROPIC_BASE_URL: url,
      OLLAMA_HOST: url,
      SPANDREL_GATEWAY_URL: url,
    });
  } catch (error) {
    await gateway.end();
    throw error;
  }
  const answer = await fetch(`${url}/cassettes`);
  const { cassettes: reports } = (await answer.json()) as { cassettes: CassetteReport[] };
  if (typeof ended === 'string') {
    // What was recorded until then is not the whole: the former cassette stays.
    await gateway.end();
    return { code: 128 + constants.signals[ended], reports, isWritten: false };
  }
  return { code: ended, reports, isWritten: await gateway.stop() };
}

/** @returns the exit code of a command, or the signal that ended it. @throws Error when it cannot be started. */
function runCommand([program, ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number | NodeJS.Signals> {
  const child = spawn(program!, args, { env, stdio: 'inherit', shell: process.platform === 'win32' });
  stopOnSignals((signal) => {
    // Ctrl-C reaches all programs of a terminal.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => done(code ?? signal!));
  });
}
