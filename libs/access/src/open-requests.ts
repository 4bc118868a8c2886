import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a credential has open. */
interface Open {
  /** Milliseconds since the epoch; `null`: the credential does not end. */
  expiresAt: number | null;
  sockets: Set<Socket>;
}

/** Requests that outlive the moment they were let in: the event streams of this process, by credential. */
export class OpenRequests {
  private readonly byCredential = new Map<string, Open>();

  /** Keeps the connection of a request in mind until its answer is over. */
  add(credential: string, expiresAt: number | null, request: FastifyRequest, reply: FastifyReply): void {
    const { socket } = request.raw;
    const open = this.byCredential.get(credential) ?? { expiresAt, sockets: new Set() };
    this.byCredential.set(credential, open);
    open.sockets.add(socket);
    reply.raw.once('close', () => {
      open.sockets.delete(socket);
      if (open.sockets.size === 0 && this.byCredential.get(credential) === open) this.byCredential.delete(credential);
    });
  }

  /** The credentials that have a request open. */
  credentials(): string[] {
    return [...this.byCredential.keys()];
  }

  /** Breaks off all that a credential has open. */
  end(credential: string): void {
    for (const socket of this.byCredential.get(credential)?.sockets ?? []) socket.destroy();
  }

  /** Breaks off what credentials have open that have ended: that needs no database. */
  endExpired(now: number): void {
    for (const [credential, { expiresAt }] of this.byCredential) {
      if (expiresAt !== null && expiresAt <= now) this.end(credential);
    }
  }
}
