import type { FastifyReply } from 'fastify';

/** An answer that is JSON text already: what is stored as text need not become objects to be shown. */
export class WrittenJson {
  constructor(readonly text: string) {}
}

/** Sends it as Fastify sends objects. */
export function sendWritten(reply: FastifyReply, { text }: WrittenJson): void {
  void reply.header('content-type', 'application/json; charset=utf-8').send(text);
}
