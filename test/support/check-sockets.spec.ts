import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const CHECK = resolve('scripts/check-sockets.mjs');

const SERVER = `import http from 'node:http';
const server = http.createServer({ IncomingMessage: IntakeRequest, shouldUpgradeCallback: opensWebSocket });
server.on('error', () => undefined);
`;

describe('scripts/check-sockets.mjs', () => {
  let root: string;
  beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'spandrel-sockets-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  /** What is found in files of an app. */
  const faultsOf = (text: string, other = ''): string[] => {
    put('apps/birds/src/bird.ts', text);
    if (other !== '') put('apps/birds/src/nest.ts', other);
    const { stderr } = spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' });
    return stderr.split('\n').filter((line) => line !== '');
  };
  const fault = (line: number, text: string): string[] => [
    expect.stringMatching(new RegExp(`^apps/birds/src/bird\\.ts:${line}: .*${text}`)) as unknown as string,
  ];

  describe('a socket that the HTTP server hands over', () => {
    it.each(['connect', 'upgrade'])('of %s must get a listener, as the gateway once did not give it one', (event) => {
      const answers = `${SERVER}server.on('${event}', (req, socket) => { socket.end('HTTP/1.1 405 no'); });`;
      expect(faultsOf(answers)).toEqual(fault(4, `"${event}" gets no listener`));
    });

    it('is found in what the handler hands it to', () => {
      const handler = `${SERVER}class Server { constructor() { server.on('upgrade', (req, socket, head) => this.pass(req, socket as Socket, head)); }
        pass(req, socket, head) { take(socket, head); } }`;
      expect(faultsOf(handler, 'export function take(socket, head) { socket.write(head); }')).toEqual(
        fault(4, 'gets no listener'),
      );
      expect(
        faultsOf(
          handler,
          `export function take(socket, head) { socket.setTimeout(1).on('error', () => socket.destroy()); }`,
        ),
      ).toEqual([]);
    });

    it.each([
      `server.on('connect', (req, socket) => { socket.on('error', () => socket.destroy()); socket.end(); });`,
      `server.on('connect', refuse); function refuse(req, socket) { socket.once('error', () => undefined); }`,
      `socket.once('connect', () => resolve(true));`,
    ])('is well where it gets one, and where it is another event: %s', (text) => {
      expect(faultsOf(SERVER + text)).toEqual([]);
    });

    it('is none where a client has connected', () => {
      expect(faultsOf(`client.once('connect', resolve);`)).toEqual([]);
      expect(faultsOf(`${SERVER}server.on('connect', handle);`)).toEqual(fault(4, 'gets no listener'));
    });

    it('of clientError goes to refuseMalformed, also as Fastify has it', () => {
      const [on, option] = [
        'server.on("clientError", (error, socket) => socket.end("400"));',
        'fastify({ clientErrorHandler: (error, socket) => socket.end("400") });',
      ];
      expect(faultsOf(SERVER + on)).toEqual(fault(4, 'does not go to refuseMalformed'));
      expect(faultsOf(SERVER + option)).toEqual(fault(4, 'does not go to refuseMalformed'));
      expect(faultsOf(`${SERVER}server.on('clientError', (error, socket) => refuseMalformed(error, socket));`)).toEqual(
        [],
      );
    });
  });

  it('wants servers that take no CONNECT for a socket, and no upgrade with a body', () => {
    const upgrade = `server.on('error', () => undefined); server.on('upgrade', (req, socket) => socket.on('error', () => undefined));`;
    expect(faultsOf(`import http from 'node:http';\nconst server = http.createServer();\n${upgrade}`)).toEqual([
      ...fault(2, 'IncomingMessage: IntakeRequest'),
      ...fault(3, 'shouldUpgradeCallback: opensWebSocket'),
    ]);
  });

  describe('what a library makes', () => {
    it.each([
      [
        'a proxy, as the gateway once had it',
        `import proxies from 'http-proxy-3';\nclass A { proxy = proxies.createProxyServer({}); pass() { this.proxy.ws(); } }`,
      ],
      ['a connection', `import net from 'node:net';\nconst socket = net.connect(1);`],
      [
        'a connection by its bare name',
        `import { connect } from 'node:tls';\nconst socket = connect(1); other.on('error', () => 1);`,
      ],
      [
        'a request',
        `import https from 'node:https';\nconst request = https.request({}); request.on('close', () => 1);`,
      ],
      ['a thread', `import { Worker } from 'node:worker_threads';\nnew Worker('x').unref();`],
      ['a process', `import { spawn } from 'node:child_process';\nconst child = spawn('x');`],
      [
        'a file',
        `import { createReadStream } from 'node:fs';\nfor await (const x of read(createReadStream('x'))) console.log(x);`,
      ],
      ['an unpacker', `import zlib from 'node:zlib';\nsource.pipe(zlib.createGunzip());`],
      ['a pool of Redis', `const redis = await import('redis');\nexport const make = () => redis.createClient({});`],
    ])('must get a listener: %s', (_what, text) => {
      expect(faultsOf(text)).toEqual(fault(2, 'gets no listener for "error"'));
    });

    it.each([
      `import proxies from 'http-proxy-3'; class A { proxy = proxies.createProxyServer({}); constructor() { this.proxy.on('error', () => 1); } }`,
      `import net from 'node:net'; const socket = net.connect(1).setTimeout(1).on('error', () => 1);`,
      `import net from 'node:net'; const socket = net.connect(1); socket.setTimeout(5).once('error', () => 1);`,
      `import { createGunzip } from 'node:zlib'; await pipeline(body, createGunzip(), keep);`,
      `import { createReadStream } from 'node:fs'; const file = createReadStream('x'); await pipeline(file, out);`,
      `import pg from 'pg'; const pool = new pg.Pool(); pool.on('error', log); pool.on('connect', (client) => client.on('error', log));`,
      `const map = new Map(); map.get('x'); storage.connect(); em.fork();`,
    ])('is well where it does: %s', (text) => {
      expect(faultsOf(text)).toEqual([]);
    });

    it('listens to the clients of a pool of Postgres too', () => {
      expect(faultsOf(`import pg from 'pg';\nconst pool = new pg.Pool(); pool.on('error', log);`)).toEqual(
        fault(2, 'clients of the pool'),
      );
    });
  });
});
