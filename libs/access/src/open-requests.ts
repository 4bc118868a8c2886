import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Requests that outlive the moment they were let in: the event streams of this process, by credential. */
export class OpenRequests {
  private readonly byCredential = new Map<string, Set<Socket>>();

  /** Keeps the connection of a request in mind until its answer is over. */
  add(credential: string, request: FastifyRequest, reply: FastifyReply): void {
    const { socket } = request.raw;
    const sockets = this.byCredential.get(credential) ?? new Set();
    this.byCredential.set(credential, sockets.add(socket));
    reply.raw.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && this.byCredential.get(credential) === sockets) this.byCredential.delete(credential);
    });
  }

  /** The credentials that have a request open. */
  credentials(): string[] {
    return [...this.byCredential.keys()];
  }

  /** Breaks off all that a credential has open. */
  end(credential: string): void {
    for (const socket of this.byCredential.get(credential) ?? []) socket.destroy();
  }
}
