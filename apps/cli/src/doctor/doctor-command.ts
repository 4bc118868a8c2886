import { randomBytes } from 'node:crypto';
import { formatCounted } from '@spandrel/contract/browser';
import { PACKAGE } from '@spandrel/kernel/launch';
import { SpandrelError, createApi, type AnswerOf, type Api } from '@spandrel/sdk';
import { clientCommand, type ClientCall, type ClientProgram } from '../client/client-command.js';
import type { CommandIo } from '../client/command-io.js';
import { ExitCode } from '../client/exit-codes.js';
import type { Output } from '../client/output/output.js';
import type { Style } from '../client/output/table.js';
import { oneLine } from '../client/output/text.js';
import { notOfSpandrel, readAnswer, readServer, type Server } from '../client/server.js';

interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  remedy?: string;
}

const ok = (name: string, message: string): Check => ({ name, status: 'ok', message });

const found =
  (status: Check['status']) =>
  (name: string, message: string, remedy: string): Check => ({ name, status, message, remedy });
const warn = found('warn');
const failed = found('fail');

type ServerFacts = Pick<AnswerOf<'getHealth'>, 'version' | 'mode'>;

/** A clock that is off by more shows traces in another order than they happened. */
const SKEW_WARN_MS = 5_000;
/** And by more than this, JWTs end early or late, and ranges of time miss what was just recorded. */
const SKEW_FAIL_MS = 300_000;

/** Asks the server who it is, and compares clocks. @throws SpandrelError or CommandFailure when no server answers. */
async function checkServer(api: Api, url: string, version: string): Promise<{ server: ServerFacts; checks: Check[] }> {
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
  const serverTime = Date.parse(date ?? '');
  if (Number.isNaN(serverTime))
    return warn('clock', 'the response has no Date header', 'look for a proxy that takes headers away');
  // The least that it can be: the answer was made at some moment between both.
  const behind = Math.max(0, sentAt - (serverTime + 1_000));
  const ahead = Math.max(0, serverTime - receivedAt);
  const skew = Math.max(behind, ahead);
  if (skew < SKEW_WARN_MS) return ok('clock', 'this machine and the server have the same time');
  const seconds = Math.round(skew / 1000);
  const message = `the clock of this machine is ${seconds} s ${behind > ahead ? 'ahead of' : 'behind'} the server's`;
  return (skew < SKEW_FAIL_MS ? warn : failed)('clock', message, 'let NTP set the clocks of both');
}

/** What a credential is (docs/spec/access.md#what-a-credential-is). */
type CredentialFacts = AnswerOf<'getCredential'>;

const SOON_MS = 7 * 86_400_000;
const MAKE_ONE = 'make one: spandrel admin key create --project <id> --scopes read,write';

/** @returns with the scopes of the credential, all of them in local mode, none when the server takes no credential. */
async function checkCredential(
  api: Api,
  { mode }: ServerFacts,
  key: string | undefined,
): Promise<{ check: Check; scopes?: ReadonlySet<string> }> {
  if (mode === 'local') {
    return { check: ok('credential', 'local mode needs none'), scopes: new Set(['read', 'write', 'ingest']) };
  }
  if (key === undefined) {
    const message = 'no key was given, and cloud mode needs one';
    return { check: failed('credential', message, `SPANDREL_API_KEY or --key; ${MAKE_ONE}`) };
  }
  try {
    const credential = await api.getCredential({ retry: false });
    return { check: toCheck(credential), scopes: new Set(credential.scopes) };
  } catch (error) {
    if (!isAnswer(error)) throw error;
    const message = `the server does not take the key: ${error.code} (${error.detail})`;
    const remedy = error.status === 401 ? `it is mistyped, was revoked or has ended; ${MAKE_ONE}` : 'try again later';
    return { check: failed('credential', message, remedy) };
  }
}

const isAnswer = (error: unknown): error is SpandrelError => error instanceof SpandrelError && error.status >= 400;

function toCheck({ kind, project_id: project, scopes, expires_at: end }: CredentialFacts): Check {
  const can = `${kind} with ${scopes.join(', ') || 'no scope'}`;
  const message = `${can}${project === null ? '' : ` for project ${project}`}${end === null ? '' : `, until ${end}`}`;
  if (project === null) {
    const remedy = `the operator's tokens record nothing; ${MAKE_ONE}`;
    return failed('credential', `${message}: it belongs to no project`, remedy);
  }
  const lacks = findLack(new Set<string>(scopes));
  if (lacks) return warn('credential', `${message}: ${lacks}`, MAKE_ONE);
  if (end !== null && Date.parse(end) - Date.now() < SOON_MS) {
    return warn('credential', `${message}: it ends soon`, 'make the next one before it does');
  }
  return ok('credential', message);
}

function findLack(scopes: ReadonlySet<string>): string | undefined {
  if (!scopes.has('read')) return 'it cannot read, which most commands do';
  if (!scopes.has('write') && !scopes.has('ingest')) return 'it cannot record, start runs or import';
  return undefined;
}

/** A stream says something at once; what comes later was held back on the way. */
const FIRST_BYTE_MS_MAX = 5_000;

/** Opens the stream of events and waits for its first bytes: a proxy that gathers answers holds them back. */
async function checkEvents(api: Api, signal: AbortSignal): Promise<Check> {
  const stream = new AbortController();
  const either = AbortSignal.any([signal, stream.signal]);
  let opened = false;
  const timer = setTimeout(() => stream.abort(), FIRST_BYTE_MS_MAX);
  try {
    const { body } = await api.raw('GET', '/api/events', { query: { view: 'outline' }, signal: either, retry: false });
    opened = true;
    const { done } = await body!.getReader().read();
    if (!done) return ok('events', 'the stream of events comes as it is written');
    return failed('events', 'the stream of events ended at once', 'look for a proxy that ends long answers');
  } catch (error) {
    signal.throwIfAborted();
    if (isAnswer(error)) {
      const message = `the server refused the stream: ${error.code} (${error.detail})`;
      return failed('events', message, 'a key needs the scope read');
    }
    const message = opened ? 'the stream of events was opened, and nothing came' : 'the stream of events did not open';
    const remedy = 'let the proxy in between pass answers on as they come (nginx: proxy_buffering off)';
    return failed('events', message, remedy);
  } finally {
    clearTimeout(timer);
    stream.abort();
  }
}

const TAG = 'spandrel-doctor';

/** Records a trace with one span, reads it back if `scopes` has `read`, and removes it if it has `write`. */
async function checkWrite(api: Api, scopes: ReadonlySet<string>): Promise<Check> {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const input = `written by spandrel doctor, ${new Date().toISOString()} — ✓`;
  const at = new Date().toISOString();
  try {
    const { rejected } = await api.ingest({
      body: {
        traces: [{ id: traceId, name: 'spandrel doctor', tags: [TAG], started_at: at }],
        spans: [{ id: spanId, trace_id: traceId, name: 'check', input, output: 'ok', started_at: at, ended_at: at }],
      },
    });
    const [fault] = rejected;
    if (fault) {
      const message = `the server rejected what was sent: ${fault.code} (${fault.message})`;
      return failed('write', message, 'update this command or the server');
    }
    if (!scopes.has('read')) return ok('write', 'a span was recorded; the key cannot read it back');
    const span = await api.getSpan({ path: { id: spanId } });
    if (span.input !== input || span.trace_id !== traceId) {
      const remedy = 'masking rules of the project may have replaced a part; else look for a proxy that changes bodies';
      return warn('write', 'a span was recorded, and reads otherwise than it was written', remedy);
    }
    if (!scopes.has('write')) {
      return ok('write', `a span was recorded and read back; the trace ${traceId} stays, as the key cannot delete it`);
    }
    await api.deleteTrace({ path: { id: traceId } });
    return ok('write', 'a span was recorded, read back and removed');
  } catch (error) {
    if (!isAnswer(error)) throw error;
    const remedy = error.status === 403 ? 'a key needs the scope ingest or write' : 'the log of the server says more';
    return failed('write', `${error.code} (${error.detail})`, remedy);
  }
}

/** What `/readyz` of a gateway answers (docs/spec/gateway.md#the-gateways-own-endpoints). */
interface GatewayState {
  status?: string;
  api?: 'up' | 'down';
  spool?: { items: number };
  dropped_recordings?: number;
  capture?: string;
}

/** @returns checks of the gateway: whether it forwards, whether what it records arrives, and what that is. */
async function checkGateway(url: string | null, signal: CommandIo['signal']): Promise<Check[]> {
  if (url === null) {
    const remedy =
      'where there is one, configure it at the server (gateway.public_url), or this command (SPANDREL_GATEWAY_URL)';
    return [warn('gateway', 'the server does not know where the gateway is', remedy)];
  }
  let state: GatewayState;
  try {
    const answer = await createApi({ url }).raw('GET', '/readyz', { signal, retry: false, timeoutMs: 10_000 });
    state = (await answer.json()) as GatewayState;
  } catch (error) {
    signal.throwIfAborted();
    const detail = error instanceof SpandrelError ? error.detail : (error as Error).message;
    const remedy = 'start it, or correct its address; SPANDREL_GATEWAY_URL beats what the server says';
    return [failed('gateway', `no gateway answers at ${url}: ${detail}`, remedy)];
  }
  const { api, spool, capture } = state;
  if (api === undefined || spool === undefined || capture === undefined) {
    const remedy = 'it is one port above the API unless set otherwise';
    return [failed('gateway', `what answers at ${url} is no gateway`, remedy)];
  }
  return [stateCheck({ ...state, api, spool }, url), captureCheck(capture)];
}

function stateCheck(state: GatewayState & Required<Pick<GatewayState, 'api' | 'spool'>>, url: string): Check {
  const { api, spool, dropped_recordings: dropped = 0 } = state;
  const waiting = spool.items === 0 ? '' : `; ${formatCounted(spool.items, 'recording')} waiting`;
  if (api === 'down') {
    const message = `the gateway at ${url} forwards, and does not reach the API${waiting}`;
    return failed('gateway', message, 'its setting api_url must name the server');
  }
  if (dropped > 0) {
    const message = `the gateway at ${url} has lost ${formatCounted(dropped, 'recording')} since it started${waiting}`;
    return warn('gateway', message, 'its metric spandrel_gateway_dropped_recordings_total says why');
  }
  return ok('gateway', `forwards at ${url} and reaches the API${waiting}`);
}

function captureCheck(capture: string): Check {
  if (capture === 'Full') return ok('capture', 'Full: inputs and outputs of calls are recorded');
  const what =
    capture === 'Off'
      ? 'Off: calls are recorded without inputs and outputs'
      : `${capture}: the beginnings of inputs and outputs are recorded`;
  return warn('capture', what, 'where that is not meant, set gateway.capture to Full');
}

interface DoctorOptions {
  write?: boolean;
  gatewayUrl?: string;
}

/** @param report gets each check as it is done. @returns `isRefused`: the server took no credential that was given. */
async function runChecks(
  api: Api,
  { url, key }: Server,
  options: DoctorOptions,
  io: CommandIo,
  report: (check: Check) => Promise<void>,
): Promise<{ checks: Check[]; isRefused: boolean }> {
  const checks: Check[] = [];
  const note = async (...found: Check[]): Promise<void> => {
    for (const check of found) {
      checks.push(check);
      await report(check);
    }
  };
  await note(ok('command', `spandrel ${PACKAGE.version} on Node ${process.versions.node}`));
  const { server, checks: ofServer } = await checkServer(api, url, PACKAGE.version);
  await note(...ofServer);
  const { check, scopes } = await checkCredential(api, server, key);
  await note(check);
  if (scopes === undefined) return { checks, isRefused: true };
  const capabilities = await api.getCapabilities({ retry: false }).catch((error: unknown) => {
    if (isAnswer(error)) return error;
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

export function addDoctor(client: ClientProgram, description: string): void {
  const doctor = client.program
    .command('doctor')
    .description(description)
    .option('--write', 'record a span too, read it back and remove it')
    .option('--gateway-url <url>', 'the gateway; SPANDREL_GATEWAY_URL, else what the server says, when left out');
  clientCommand<DoctorOptions, []>(client, doctor, examine);
}

async function examine({ api, out, io, options }: ClientCall<DoctorOptions>): Promise<ExitCode> {
  const report = async (check: Check): Promise<void> => {
    if (!out.json) await out.lines(checkLines(check, out));
  };
  const { checks, isRefused } = await runChecks(api, readServer(options, io.env), options, io, report);
  const hasFailed = checks.some(({ status }) => status === 'fail');
  if (out.json) await out.document({ ok: !hasFailed, checks });
  else if (options.write !== true && !isRefused) out.note('with --write it also records a span and reads it back');
  if (isRefused) return ExitCode.refused;
  return hasFailed ? ExitCode.unforeseen : ExitCode.done;
}

const STYLES: Readonly<Record<Check['status'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };

const checkLines = ({ name, status, message, remedy }: Check, { paint }: Output): string[] => [
  `${paint(status.padEnd(4), STYLES[status])}  ${name.padEnd(10)}  ${oneLine(message)}`,
  ...(remedy === undefined ? [] : [`${' '.repeat(18)}${paint(oneLine(remedy), 'dim')}`]),
];
