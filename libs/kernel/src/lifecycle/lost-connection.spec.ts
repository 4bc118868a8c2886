import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('lost-connection.ts', import.meta.url));

/** What a process of its own says of each exception that nobody caught. @param script what raises them. */
function verdicts(script: string): unknown[] {
  const program = `
    import net from 'node:net';
    import fs from 'node:fs';
    import { EventEmitter, once } from 'node:events';
    import { setImmediate as turn } from 'node:timers/promises';
    import { isLostConnection } from ${JSON.stringify(FILE)};
    const said = [];
    process.on('uncaughtException', (error, origin) => said.push([error.message, isLostConnection(error, origin)]));
    process.on('exit', () => console.log(JSON.stringify(said)));
    /** A connection, both ends; nobody listens to the errors of the server's. */
    const pair = async () => {
      const server = net.createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const far = net.connect(server.address().port, '127.0.0.1').on('error', () => undefined);
      const [near] = await once(server, 'connection');
      server.close();
      return { near, far };
    };
    // An exception on the way keeps the event \`close\` from coming.
    const gone = async (near) => {
      while (!near.destroyed) await turn();
      for (let turns = 0; turns < 3; turns++) await turn();
    };
    ${script}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(stderr.replaceAll(/^.*Warning.*\n|^\(Use.*\n/gm, '')).toBe('');
  return JSON.parse(stdout) as unknown[];
}

describe('isLostConnection', () => {
  it('is true of a connection that is reset while nobody listens', () => {
    expect(
      verdicts(`
        const { near, far } = await pair();
        near.resume();
        far.resetAndDestroy();
        await gone(near);`),
    ).toEqual([['read ECONNRESET', true]]);
  });

  it('is true of one that is written to after its end, and of one whose error is passed on to nobody', () => {
    const said = verdicts(`
      const { near, far } = await pair();
      far.destroy();
      const writes = setInterval(() => near.write('x'), 1);
      await gone(near);
      clearInterval(writes);
      const other = await pair();
      other.near.on('error', (error) => new EventEmitter().emit('error', error)).resume();
      other.far.resetAndDestroy();
      await gone(other.near);`);
    expect(said).toEqual([
      [expect.stringMatching(/^(?:write EPIPE|(?:read|write) ECONNRESET)$/), true],
      ['read ECONNRESET', true],
    ]);
  });

  it.each([
    ['an error that its listener throws again', `near.on('error', (error) => { throw error; });`],
    ['an error that a promise rejects with', `near.on('error', (error) => void Promise.reject(error));`],
    ['an error of the same words that code throws', `near.on('error', () => { throw copy(); });`],
    ['a socket that is destroyed with an error of ours', `near.destroy(new Error('ours'));`],
    [
      'a socket that is destroyed with another error of the system',
      `near.destroy(Object.assign(copy(), { code: 'EBADF' }));`,
    ],
    [
      'an error without a call of the system',
      `near.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));`,
    ],
  ])('is false of %s', (_what, listens) => {
    const said = verdicts(`
      const copy = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read', errno: -104 });
      const { near, far } = await pair();
      const closed = gone(near);
      ${listens}
      near.resume();
      far.resetAndDestroy();
      await closed;`);
    expect(said).toEqual([[expect.any(String), false]]);
  });

  it('is false of a refused connection and of a file', () => {
    expect(
      verdicts(`
        await gone(net.connect(1, '127.0.0.1'));
        await gone(fs.createReadStream('/nowhere/at/all'));`),
    ).toEqual([
      [expect.stringContaining('connect'), false],
      [expect.stringContaining('ENOENT'), false],
    ]);
  });
});
