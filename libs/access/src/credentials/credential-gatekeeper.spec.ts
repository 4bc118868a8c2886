import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Proof } from '@spandrel/http';
import { DomainError } from '@spandrel/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenRequests } from './credential-gatekeeper.js';

/** One request on a connection of its own. */
function request() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => (socket.destroyed = true) });
  const answer = new EventEmitter();
  return {
    socket,
    answer,
    parts: [{ raw: { socket } } as unknown as FastifyRequest, { raw: answer } as unknown as FastifyReply] as const,
  };
}

const credential = (text: string): Proof => ({ by: 'credential', text });
const of = (orgId: string, key = `key of ${orgId}`) => ({
  orgId,
  proof: credential(key),
  expiresAt: null,
  permissions: [],
});

describe('the open requests of an organization', () => {
  it('are as many as it may have, whatever keys they come with; others have their own', () => {
    const open = new OpenRequests(2);
    open.add(of('a', 'one'), ...request().parts);
    open.add(of('a', 'two'), ...request().parts);
    expect(() => open.add(of('a', 'three'), ...request().parts)).toThrow(
      expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 10 }),
    );
    open.add(of('b'), ...request().parts);
    // What was refused is not kept.
    expect(open.proofs()).toEqual(['one', 'two', 'key of b'].map(credential));
  });

  it.each(['answer', 'socket'] as const)('make room for another once, when their %s ends', (part) => {
    const open = new OpenRequests(1);
    const first = request();
    open.add(of('a'), ...first.parts);
    first[part].emit('close');
    first.answer.emit('close');
    first.socket.emit('close');
    expect(open.proofs()).toEqual([]);
    expect([first.answer.listenerCount('close'), first.socket.listenerCount('close')]).toEqual([0, 0]);
    open.add(of('a'), ...request().parts);
    expect(() => open.add(of('a'), ...request().parts)).toThrow(DomainError);
  });

  it('are counted once where a connection closes its answer while it emits its own end, as those of Node do', () => {
    const open = new OpenRequests(2);
    const [first, second] = [request(), request()];
    for (const { socket, answer } of [first, second]) socket.on('close', () => answer.emit('close'));
    for (const { parts } of [first, second]) open.add(of('a'), ...parts);
    first.socket.emit('close');
    open.add(of('a'), ...request().parts);
    expect(() => open.add(of('a'), ...request().parts)).toThrow(DomainError);
    second.socket.emit('close');
    open.add(of('a'), ...request().parts);
    expect(() => open.add(of('a'), ...request().parts)).toThrow(DomainError);
  });

  it('are not those whose client left before they were admitted', () => {
    const open = new OpenRequests(1);
    const gone = request();
    gone.socket.destroy();
    open.add(of('a'), ...gone.parts);
    open.add(of('a'), ...request().parts);
    expect(() => open.add(of('a'), ...request().parts)).toThrow(DomainError);
  });

  it('end when what their credential may do has changed', () => {
    const open = new OpenRequests(9);
    const [first, second] = [request(), request()];
    open.add({ ...of('a', 'one'), permissions: ['read', 'write'] }, ...first.parts);
    open.add({ ...of('a', 'two'), permissions: ['read'] }, ...second.parts);
    for (const proof of open.proofs()) open.endOther(proof, { permissions: ['read'] });
    expect([first.socket.destroyed, second.socket.destroyed]).toEqual([true, false]);
  });

  it('end with their credential', () => {
    const open = new OpenRequests(9);
    const [first, second] = [request(), request()];
    open.add({ ...of('a', 'one'), expiresAt: 5 }, ...first.parts);
    open.add(of('a', 'two'), ...second.parts);
    open.endExpired(4);
    expect(first.socket.destroyed).toBe(false);
    open.endExpired(5);
    expect([first.socket.destroyed, second.socket.destroyed]).toEqual([true, false]);
    open.end({ by: 'cookie', text: 'two' });
    expect(second.socket.destroyed).toBe(false);
    open.end(credential('two'));
    expect(second.socket.destroyed).toBe(true);
  });
});
