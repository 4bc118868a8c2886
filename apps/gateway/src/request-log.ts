import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { logMs, type AccessLog, type RefusedBytes } from '@spandrel/http';
import type { ClientAddresses } from '@spandrel/kernel';
import type { Answered } from './forward/answer-error.js';
import type { Forward } from './forward/forward.js';

/** What the log says of a request at the gateway: nothing of its target, headers or body. */
export interface GatewayLine {
  /** The id of the span for a recorded call; the `X-Request-Id` of the answer where the gateway answers itself. */
  request_id: string;
  method?: string | undefined;
  /** The path, for the gateway's own endpoints only. */
  path?: string;
  provider?: string;
  /** The provider's endpoint, `other` for one that is not recorded. */
  endpoint?: string;
  /** Status of the answer that the client got; 499 when the client left before there was one. */
  status: number;
  duration_ms?: number;
  trace_id?: string;
  span_id?: string;
  remote_address?: string | undefined;
  /** The client left before the answer was whole. */
  aborted?: true;
  /** A WebSocket connection, or the refusal of one by upstream; its line is written when it ends. */
  upgrade?: true;
}

const CLIENT_GONE = 499;

/** Writes a line a request. Answers are passed on as they are, so that the id of a forwarded one is in the log alone. */
export class RequestLog {
  constructor(
    private readonly log: AccessLog<GatewayLine>,
    private readonly addresses: ClientAddresses,
  ) {}

  /** A request is passed on: asks for its caller's address, which the socket has only while it is connected. */
  begin(req: IncomingMessage): void {
    void req.socket.remoteAddress;
  }

  /** Logs a request that was passed on and has ended. @param status the answer's, 0 for none. */
  forwarded(forward: Forward, status: number, aborted: boolean): void {
    const { target, facts, req } = forward;
    this.log.request(
      {
        request_id: forward.id,
        method: req.method,
        provider: target.providerName,
        endpoint: target.endpoint?.name ?? 'other',
        status: status || CLIENT_GONE,
        duration_ms: logMs(performance.now() - forward.startedTick),
        ...(facts && { trace_id: facts.traceId, span_id: facts.id }),
        remote_address: this.addresses.of(req),
        ...(aborted && { aborted: true as const }),
      },
      false,
    );
  }

  /** The gateway answered by itself. @param path of the endpoint of its own, a health check or a scrape, if it was one. */
  answered(req: IncomingMessage, { id, status }: Answered, path?: string): void {
    const { method } = req;
    const line = { request_id: id, method, ...(path !== undefined && { path }), status: status || CLIENT_GONE };
    this.log.request({ ...line, remote_address: this.addresses.of(req) }, path !== undefined);
  }

  /** What came was no HTTP, and was answered so. */
  malformed({ id, status }: RefusedBytes, socket: Socket): void {
    this.log.request({ request_id: id, status, remote_address: socket.remoteAddress }, false);
  }

  /** An upgrade is passed on: logs it when its connection ends. @param answer how it was answered by then. */
  upgraded(req: IncomingMessage, socket: Duplex, provider: string, answer: Readonly<Answered>): void {
    const startedAt = performance.now();
    const { method } = req;
    const remote_address = this.addresses.of(req);
    socket.once('close', () => {
      const status = answer.status || CLIENT_GONE;
      const line = { request_id: answer.id, method, provider, status, remote_address, upgrade: true as const };
      this.log.request({ ...line, duration_ms: logMs(performance.now() - startedAt) }, false);
    });
  }
}
