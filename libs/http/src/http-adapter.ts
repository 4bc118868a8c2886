import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { streamPieces, textPieces, WrittenJson } from './text-answers.js';

export class HttpAdapter extends FastifyAdapter {
  override reply(response: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    if (!(body instanceof WrittenJson)) return super.reply(response as never, body, statusCode) as FastifyReply;
    if (statusCode !== undefined) void response.status(statusCode);
    const { texts } = body;
    const pieces = textPieces(typeof texts === 'string' ? [texts] : texts);
    const text = pieces.next().value ?? '';
    const second = pieces.next();
    void response.header('content-type', 'application/json; charset=utf-8');
    // A long one goes as a stream, so that others have their turn while it is written.
    return response.send(second.done ? text : streamPieces(textPieces(pieces, text + second.value)));
  }
}
