import type { Api } from '@spandrel/sdk';
import { notOfSpandrel, readAnswer } from '../client/read-answer.js';
import { failed, ok, warn, type Check } from './check.js';

/** What a server tells anybody. */
export interface ServerFacts {
  version: string;
  mode: 'local' | 'cloud';
}

/** A clock that is off by more shows traces in another order than they happened. */
const SKEW_WARN_MS = 5_000;
/** And by more than this, JWTs end early or late, and ranges of time miss what was just recorded. */
const SKEW_FAIL_MS = 300_000;

/**
 * Asks the server who it is, and compares its clock with that of this machine.
 * @param version of this command.
 * @throws SpandrelError or CommandFailure when no server answers.
 */
export async function checkServer(
  api: Api,
  url: string,
  version: string,
): Promise<{ server: ServerFacts; checks: Check[] }> {
  const sentAt = Date.now();
  const answer = await api.raw('GET', '/api/health', { retry: false, timeoutMs: 10_000 });
  const receivedAt = Date.now();
  const server = await readAnswer<ServerFacts>(answer);
  if (typeof server.version !== 'string' || !/^(local|cloud)$/.test(server.mode)) throw notOfSpandrel(answer);
  return {
    server,
    checks: [versionCheck(server, url, version), clockCheck(answer.headers.get('date'), sentAt, receivedAt)],
  };
}

function versionCheck({ version, mode }: ServerFacts, url: string, own: string): Check {
  const message = `Spandrel ${version} in ${mode} mode at ${url}`;
  if (version === own) return ok('server', message);
  return warn('server', `${message}; this command is ${own}`, 'use the command of the same version as the server');
}

/** @param date the header; it has whole seconds, so that the clock of the server lies within the second behind it. */
export function clockCheck(date: string | null, sentAt: number, receivedAt: number): Check {
  const told = Date.parse(date ?? '');
  if (Number.isNaN(told)) return warn('clock', 'the server told no time', 'look for a proxy that takes headers away');
  // The least that it can be: the answer was made at some moment between both.
  const behind = Math.max(0, sentAt - (told + 1_000));
  const ahead = Math.max(0, told - receivedAt);
  const skew = Math.max(behind, ahead);
  if (skew < SKEW_WARN_MS) return ok('clock', 'this machine and the server have the same time');
  const seconds = Math.round(skew / 1000);
  const message = `the clock of this machine is ${seconds} s ${behind > ahead ? 'ahead of' : 'behind'} the server's`;
  return (skew < SKEW_FAIL_MS ? warn : failed)('clock', message, 'let NTP set the clocks of both');
}
