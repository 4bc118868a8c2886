import { SpandrelError, type Api } from '@spandrel/sdk';
import { PACKAGE } from '@spandrel/kernel/launch';
import type { Server } from '../client/client-of.js';
import type { CommandIo } from '../client/command-io.js';
import { failed, ok, warn, type Check } from './check.js';
import { checkCredential } from './check-credential.js';
import { checkEvents } from './check-events.js';
import { checkGateway } from './check-gateway.js';
import { checkServer } from './check-server.js';
import { checkWrite } from './check-write.js';

/** What is checked, and how. */
export interface DoctorOptions {
  /** Records a span, too. */
  write?: boolean;
  gatewayUrl?: string;
}

/** What the checks end with: they go on as long as there is something to check. */
export interface Diagnosis {
  checks: Check[];
  /** The server takes no credential that was given. */
  isRefused: boolean;
}

/**
 * @param tell hears of each check as it is done.
 * @throws SpandrelError when the server is not reached.
 */
export async function runChecks(
  api: Api,
  { url, key }: Server,
  options: DoctorOptions,
  io: CommandIo,
  tell: (check: Check) => Promise<void>,
): Promise<Diagnosis> {
  const checks: Check[] = [];
  const note = async (...found: Check[]): Promise<void> => {
    for (const check of found) {
      checks.push(check);
      await tell(check);
    }
  };
  await note(ok('command', `spandrel ${PACKAGE.version} on Node ${process.versions.node}`));
  const { server, checks: ofServer } = await checkServer(api, url, PACKAGE.version);
  await note(...ofServer);
  const { check, scopes } = await checkCredential(api, server, key);
  await note(check);
  if (scopes === undefined) return { checks, isRefused: true };
  const capabilities = await api.getCapabilities({ retry: false }).catch((error: unknown) => {
    if (error instanceof SpandrelError && error.status >= 400) return error;
    throw error;
  });
  if (capabilities instanceof SpandrelError) {
    const message = `the server answers with ${capabilities.code} (${capabilities.detail})`;
    await note(failed('api', message, 'the log of the server says more'));
    return { checks, isRefused: false };
  }
  if (capabilities.evals_paused) {
    await note(warn('evals', 'this server works on no eval runs', 'another one does, or set evals.paused to false'));
  }
  if (scopes.has('read')) await note(await checkEvents(api, io.signal));
  if (options.write === true) await note(await checkWrite(api, scopes));
  const gatewayUrl = options.gatewayUrl ?? (io.env['SPANDREL_GATEWAY_URL'] || capabilities.gateway_url);
  await note(...(await checkGateway(gatewayUrl, io.signal)));
  return { checks, isRefused: false };
}
