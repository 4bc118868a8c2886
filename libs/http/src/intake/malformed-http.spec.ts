import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createHttpServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import type { Logger } from '@spandrel/kernel';
import { Http2Notice, refuseMalformed } from './malformed-http.js';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

describe('a client that speaks HTTP/2', () => {
  it('is answered with how exporters of gRPC are set up', async () => {
    const refused: unknown[] = [];
    const server = createHttpServer().on('clientError', (error, socket) => {
      refuseMalformed(error, socket, (each) => refused.push(each));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(PREFACE);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*OTEL_EXPORTER_OTLP_PROTOCOL=http\/protobuf/);
    expect(refused).toMatchObject([{ status: 400, isHttp2: true }]);
    server.close();
  });

  it('is mentioned in the log once', () => {
    const lines: string[] = [];
    const notice = new Http2Notice({ warn: (line: string) => void lines.push(line) } as unknown as Logger);
    notice.notice();
    notice.notice();
    expect(lines).toEqual([expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf')]);
  });
});
