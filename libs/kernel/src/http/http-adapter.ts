import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { sendWritten, WrittenJson } from './written-json.js';

/** Nest's adapter for Fastify, which also sends answers that are JSON text already. */
export class HttpAdapter extends FastifyAdapter {
  override reply(response: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    if (!(body instanceof WrittenJson)) return super.reply(response as never, body, statusCode) as FastifyReply;
    if (statusCode !== undefined) void response.status(statusCode);
    sendWritten(response, body);
    return response;
  }
}
