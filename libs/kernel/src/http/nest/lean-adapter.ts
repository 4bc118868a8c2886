import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import { fastify, type FastifyInstance, type FastifyHttpOptions, type FastifyReply } from 'fastify';
import { sendWritten, WrittenJson } from '../written-json.js';

/**
 * Nest's adapter without what this server has no use for: hooks at every request for CORS, CSRF, versions of routes and
 * a stop of its own, and the ways of Express middleware (docs/adr/0041-what-a-request-costs.md).
 */
export class LeanAdapter extends FastifyAdapter {
  constructor(options: FastifyHttpOptions<Server>) {
    const instance = fastify(options) as unknown as FastifyInstance;
    const { addHook } = instance;
    instance.addHook = (() => instance) as typeof addHook;
    super(instance as never);
    instance.addHook = addHook;
  }

  override reply(response: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    if (!(body instanceof WrittenJson)) return super.reply(response as never, body, statusCode) as FastifyReply;
    if (statusCode !== undefined) void response.status(statusCode);
    sendWritten(response, body);
    return response;
  }

  /** Nest would register the ways of Express middleware here. */
  override async init(): Promise<void> {}

  /** Whether a target of a request is a path, or the URL of one: the router takes `*users` for `/users`. */
  takesTarget(url: string): boolean {
    return url.charCodeAt(0) === SLASH || this['isRoutableRequestTarget'](url);
  }
}

const SLASH = 0x2f;
