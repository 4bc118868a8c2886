import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CredentialRefusals } from '@spandrel/http';
import { DomainError, metricsText, newId, WrongCredential } from '@spandrel/kernel';
import type { Cassettes } from './cassette/cassettes.js';
import { answerError } from './forward/answer-error.js';
import type { GatewayMetrics } from './metrics.js';
import type { RequestLog } from './request-log.js';
import type { RecordingSpool } from './spool/recording-spool.js';

export interface OwnEndpointsParts {
  metrics: GatewayMetrics;
  spool: RecordingSpool;
  isStopping: () => boolean;
  /** How much of a call is recorded, as users write it. */
  capture: string;
  /** What `/metrics` asks for as a bearer token; `null`: nothing. */
  metricsToken: string | null;
  /** Counts wrong tokens by the address they come from. */
  refusals: CredentialRefusals;
  /** What has been recorded and replayed on cassettes. */
  cassettes: Pick<Cassettes, 'reports' | 'finish' | 'areAlone'>;
  /** `null` when requests are not logged. */
  log: RequestLog | null;
}

/** How old the last contact with the API may be to say whether it is up, in milliseconds. */
const CONTACT_MAX_AGE_MS = 5_000;

const PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', '/cassettes']);

/** `/livez`, `/readyz`, `/metrics` and `/cassettes` of the gateway (docs/spec/gateway.md#the-gateways-own-endpoints). */
export class OwnEndpoints {
  constructor(private readonly parts: OwnEndpointsParts) {}

  /** @returns false when the path is not one of them. */
  handle(path: string, req: IncomingMessage, res: ServerResponse): boolean {
    if (!PATHS.has(path)) return false;
    const id = newId();
    res.once('close', () => this.parts.log?.answered(req, { id, status: res.statusCode }, path));
    const mayFinish = path === '/cassettes' && !this.parts.cassettes.areAlone;
    const isFinish = mayFinish && req.method === 'DELETE';
    if (req.method !== 'GET' && req.method !== 'HEAD' && !isFinish) {
      res.setHeader('Allow', mayFinish ? 'GET, HEAD, DELETE' : 'GET, HEAD');
      const taken = mayFinish ? 'GET and DELETE' : 'GET';
      answerError(res, { code: 'method_not_allowed', message: `${path} takes ${taken} requests only.` }, null, id);
      return true;
    }
    if (path === '/metrics' && !this.mayReadMetrics(req)) {
      this.refuseMetrics(req, res, id);
      return true;
    }
    res.setHeader('X-Request-Id', id);
    if (path === '/livez') this.send(res, 200, 'application/json', JSON.stringify({ status: 'ok' }));
    else if (path === '/cassettes') this.reports(res, isFinish, id);
    else void (path === '/readyz' ? this.ready(res) : this.metrics(res)).catch(() => res.destroy());
    return true;
  }

  /** Answers `HEAD /`, by which clients ask whether a server is there. */
  greet(req: IncomingMessage, res: ServerResponse): void {
    const id = newId();
    res.once('close', () => this.parts.log?.answered(req, { id, status: res.statusCode }, '/'));
    res.setHeader('X-Request-Id', id);
    this.send(res, 200, 'application/json', JSON.stringify({ status: 'ok' }));
  }

  private mayReadMetrics(req: IncomingMessage): boolean {
    const { metricsToken } = this.parts;
    if (metricsToken === null) return true;
    const given = tokenOf(req);
    return given !== undefined && timingSafeEqual(sha256(given), sha256(metricsToken));
  }

  private refuseMetrics(req: IncomingMessage, res: ServerResponse, id: string): void {
    const message = '/metrics needs the metrics token (SPANDREL_METRICS_TOKEN) as a bearer token.';
    const isMissing = tokenOf(req) === undefined;
    const error = isMissing
      ? new DomainError('unauthenticated', message)
      : this.parts.refusals.of(new WrongCredential(message), req);
    if (error.code === 'unauthenticated') res.setHeader('WWW-Authenticate', 'Bearer');
    answerError(res, error, null, id);
  }

  /** How cassettes are used; at the end of a run of tests they are put in place, too. */
  private reports(res: ServerResponse, isFinish: boolean, id: string): void {
    const { cassettes } = this.parts;
    try {
      const reports = isFinish ? cassettes.finish() : cassettes.reports;
      this.send(res, 200, 'application/json', JSON.stringify({ cassettes: reports }));
    } catch (error) {
      const message = `A cassette could not be written: ${(error as Error).message}`;
      answerError(res, { code: 'internal', message }, null, id);
    }
  }

  /** 200 while requests are forwarded, whether or not the API is up. */
  private async ready(res: ServerResponse): Promise<void> {
    const { spool, metrics, isStopping, capture } = this.parts;
    const stopping = isStopping();
    const state = {
      status: stopping ? 'stopping' : 'ok',
      api: (await this.apiUp()) ? 'up' : 'down',
      spool: { items: spool.queues.count, bytes: spool.queues.bytes },
      dropped_recordings: metrics.droppedRecordings,
      capture,
    };
    this.send(res, stopping ? 503 : 200, 'application/json', JSON.stringify(state));
  }

  private async apiUp(): Promise<boolean> {
    const { delivery, ingest } = this.parts.spool;
    if (delivery.apiUp !== null && performance.now() - delivery.contactAt < CONTACT_MAX_AGE_MS) return delivery.apiUp;
    return ingest.ping();
  }

  private async metrics(res: ServerResponse): Promise<void> {
    const { registry } = this.parts.metrics;
    this.send(res, 200, registry.contentType, await metricsText(registry));
  }

  private send(res: ServerResponse, status: number, contentType: string, body: string): void {
    res.writeHead(status, {
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(body),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    });
    res.end(res.req.method === 'HEAD' ? undefined : body);
  }
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

const tokenOf = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
