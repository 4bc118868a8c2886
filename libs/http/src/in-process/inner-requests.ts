import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { AdmittedRequest } from '../access/caller.js';

/** Header by which a request of this process is distinguished from others made at the same moment. */
export const INNER_HEADER = 'x-spandrel-inner';

const admitted = new WeakSet<IncomingMessage>();

/**
 * Whether a request was made in this process in the name of a caller who was let in: it is not counted or checked
 * again.
 */
export const isInnerRequest = (request: IncomingMessage): boolean => admitted.has(request);

/** Knows which requests were made inside this process, and in whose name. */
export class InnerRequests {
  private readonly announced = new Map<string, AdmittedRequest>();

  /** @returns the value of {@link INNER_HEADER} that the request must carry. */
  announce(by: AdmittedRequest): string {
    const pass = randomBytes(16).toString('base64url');
    this.announced.set(pass, by);
    return pass;
  }

  forget(pass: string): void {
    this.announced.delete(pass);
  }

  /**
   * Called with every request first: gives one that was made here its caller, never one that came over a connection.
   * @returns whether it was made here.
   */
  take(request: FastifyRequest & AdmittedRequest): boolean {
    const { raw } = request;
    const pass = raw.headers[INNER_HEADER];
    if (typeof pass !== 'string' || raw.socket instanceof Socket) return false;
    const by = this.announced.get(pass);
    if (!by) return false;
    this.announced.delete(pass);
    admitted.add(raw);
    if (by.anonymous) request.anonymous = true;
    if (by.caller) request.caller = by.caller;
    if (by.scope) request.scope = by.scope;
    return true;
  }
}
