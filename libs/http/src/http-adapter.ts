import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { streamPieces, textPieces, WrittenJson } from './text-answers.js';

export class HttpAdapter extends FastifyAdapter {
  override reply(response: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    if (!(body instanceof WrittenJson)) return super.reply(response as never, body, statusCode) as FastifyReply;
    if (statusCode !== undefined) void response.status(statusCode);
    return sendWritten(response, body);
  }
}

/** Sends it as Fastify sends objects; a long one as a stream, so that others have their turn while it is written. */
function sendWritten(reply: FastifyReply, { texts }: WrittenJson): FastifyReply {
  const pieces = textPieces(typeof texts === 'string' ? [texts] : texts);
  const text = pieces.next().value ?? '';
  const second = pieces.next();
  void reply.header('content-type', 'application/json; charset=utf-8');
  return reply.send(second.done ? text : streamPieces(textPieces(pieces, text + second.value)));
}
