import type { Socket } from 'node:net';
import type { Proof } from '@spandrel/http';
import { DomainError } from '@spandrel/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Open extends Omit<Opener, 'orgId'> {
  sockets: Set<Socket>;
}

/** The owner of a request that stays open. */
export interface Opener {
  orgId: string;
  proof: Proof;
  /** When the credential ends, in milliseconds since the epoch; `null`: never. */
  expiresAt: number | null;
}

/** Seconds of `Retry-After`: streams end when their clients leave, not by the second. */
const RETRY_AFTER_SECONDS = 10;

/**
 * Requests that outlive the moment they were let in: the event streams of this process, by credential
 * (docs/spec/events.md#streams-of-an-organization).
 */
export class OpenRequests {
  private readonly byProof = new Map<string, Open>();
  private readonly countOf = new Map<string, number>();

  /** @param perOrganization how many one organization may have open. */
  constructor(private readonly perOrganization: number) {}

  /**
   * Keeps the connection of a request in mind until its answer is over.
   * @throws DomainError `rate_limited` when the organization has as many open as it may.
   */
  add({ orgId, proof, expiresAt }: Opener, request: FastifyRequest, reply: FastifyReply): void {
    const count = this.countOf.get(orgId) ?? 0;
    if (count >= this.perOrganization) throw this.tooMany();
    this.countOf.set(orgId, count + 1);
    const { socket } = request.raw;
    const key = keyOf(proof);
    const open = this.byProof.get(key) ?? { proof, expiresAt, sockets: new Set() };
    this.byProof.set(key, open);
    open.sockets.add(socket);
    let isOver = false;
    const over = (): void => {
      // A connection that breaks off closes its answer first, and goes on to notify those that listened when it began.
      if (isOver) return;
      isOver = true;
      reply.raw.off('close', over);
      socket.off('close', over);
      const left = this.countOf.get(orgId)! - 1;
      if (left === 0) this.countOf.delete(orgId);
      else this.countOf.set(orgId, left);
      open.sockets.delete(socket);
      if (open.sockets.size === 0 && this.byProof.get(key) === open) this.byProof.delete(key);
    };
    reply.raw.once('close', over);
    // An answer whose turn on its connection never comes does not close.
    socket.once('close', over);
  }

  /** The credentials and sessions that have a request open. */
  proofs(): Proof[] {
    return [...this.byProof.values()].map(({ proof }) => proof);
  }

  /** Breaks off all that a credential or session has open. */
  end(proof: Proof): void {
    for (const socket of this.byProof.get(keyOf(proof))?.sockets ?? []) socket.destroy();
  }

  /** Breaks off what credentials have open that have ended: that needs no database. */
  endExpired(now: number): void {
    for (const { proof, expiresAt } of this.byProof.values()) {
      if (expiresAt !== null && expiresAt <= now) this.end(proof);
    }
  }

  private tooMany(): DomainError {
    const most = this.perOrganization;
    return new DomainError(
      'rate_limited',
      `the organization has ${most} event ${most === 1 ? 'stream' : 'streams'} open at this server, as many as it may`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
}

const keyOf = ({ by, text }: Proof): string => `${by} ${text}`;
