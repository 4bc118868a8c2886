import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  exactJsonInPieces,
  JsonSyntaxError,
  parseExactJson,
  parseWithSources,
  TooManyValues,
  type JsonValue,
} from '@spandrel/contract';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Invalid, inTurns } from '@spandrel/kernel';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { lostExportAdvice, lostExportOf } from './misdirected-request.js';

/** Body parsing of the API (docs/spec/general.md#json). No bytes are no body. @param valuesMax `limits.body_values`. */
export function registerJsonBody(fastify: FastifyInstance, valuesMax: number): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:$|[;\s])/i,
    { parseAs: 'buffer' },
    (request, body, done) => parseJsonBody(request, body as Buffer, valuesMax, done),
  );
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    done(body.length === 0 ? null : unsupported(request.headers['content-type']), undefined);
  });
}

/** Marks a route whose body has no numbers but those of payloads: they stay as they are written. */
export const KeepsNumberSources = (): MethodDecorator => RouteConfig({ keepsNumberSources: true });

const keepsSources = (config: unknown): boolean =>
  (config as { keepsNumberSources?: boolean } | undefined)?.keepsNumberSources === true;

type Done = (error: Error | null, body?: unknown) => void;

/** A body that is longer is parsed in pieces, and others have their turn in between. */
const SHORT_BYTES = 65_536;

function parseJsonBody(request: FastifyRequest, bytes: Buffer, valuesMax: number, done: Done): void {
  if (bytes.length === 0) return done(null, undefined);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return done(new Invalid('unsupported_media_type', 'Content-Encoding is not supported; send the body uncompressed'));
  }
  const parse = keepsSources(request.routeOptions.config) ? parseWithSources : undefined;
  if (bytes.length > SHORT_BYTES) {
    inTurns(longJson(bytes, valuesMax, parse)).then(
      (value) => done(null, value),
      (error: unknown) => done(bodyFault(error)),
    );
    return;
  }
  try {
    done(null, parseExactJson(utf8Text(bytes), valuesMax, parse));
  } catch (error) {
    done(bodyFault(error));
  }
}

function* longJson(
  bytes: Buffer,
  valuesMax: number,
  parse: typeof parseWithSources | undefined,
): Generator<void, JsonValue, void> {
  yield;
  const text = utf8Text(bytes);
  yield;
  return yield* exactJsonInPieces(text, valuesMax, parse);
}

function utf8Text(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const place = firstFault(bytes) + 1;
  throw new Invalid('malformed_json', `the body is not valid UTF-8: byte ${place} belongs to no character`);
}

/** So much is decoded at once: a whole body of 10 MB, compared byte by byte, would hold the event loop for 60 ms. */
const WINDOW = 65_536;
/** The upper bits of a byte that begins no character. */
const CONTINUATION = 0x80;

/** The first byte that belongs to no character: decoding puts a replacement there, which differs from it. */
function firstFault(bytes: Buffer): number {
  for (let start = 0; ; start += WINDOW) {
    while (start > 0 && (bytes[start]! & 0xc0) === CONTINUATION) start--;
    const window = bytes.subarray(start, start + WINDOW);
    const decoded = Buffer.from(window.toString('utf8'));
    let at = 0;
    while (at < window.length && window[at] === decoded[at]) at++;
    // At its end a window may cut a character.
    if (at < window.length - 3 || start + window.length === bytes.length) return start + at;
    start -= 4;
  }
}

function bodyFault(error: unknown): Error {
  if (error instanceof TooManyValues) {
    return new Invalid(
      'payload_too_large',
      `the body has more than ${error.valuesMax} values (limits.body_values); send it in several requests, or large lists of numbers as texts`,
    );
  }
  return error instanceof JsonSyntaxError ? new Invalid('malformed_json', error.message) : (error as Error);
}

function unsupported(mediaType: string | undefined): Invalid {
  const lost = lostExportOf('', mediaType);
  const advice = lost ? `; ${lostExportAdvice(lost)}` : '';
  return new Invalid(
    'unsupported_media_type',
    `the media type ${mediaType ? `"${mediaType.slice(0, 100)}" ` : ''}is not supported; send application/json${advice}`,
  );
}

export interface StreamedBody {
  /** Not limited in size. Anyone who stops reading it early resumes it, so that the client gets the answer. */
  stream: Readable;
  contentType: string | undefined;
  contentDisposition: string | undefined;
  /** `Content-Length`; `undefined` in chunked encoding. */
  length: number | undefined;
  /** `Content-Encoding` in lower case; `undefined` for a body that is sent as it is. */
  contentEncoding: string | undefined;
}

interface StreamedBodyOptions {
  /** Whether it unpacks a compressed body by itself, with a limit of its own. */
  unpacks: boolean;
}

/** Marks a route that takes its body as a stream by {@link BodyStream}: no parser sees it and no limit is applied. */
export const StreamsBody = (): MethodDecorator => RouteConfig({ streamsBody: true });

/** The body of a route with {@link StreamsBody}. @throws Invalid when it is compressed and the route does not unpack. */
export const BodyStream = createParamDecorator(
  (options: StreamedBodyOptions | undefined, context: ExecutionContext): StreamedBody => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { headers } = request;
    const stream = request.body as Readable;
    const coding = headers['content-encoding']?.trim().toLowerCase();
    const contentEncoding = coding === 'identity' ? undefined : coding;
    if (contentEncoding !== undefined && options?.unpacks !== true) {
      stream.resume();
      throw new Invalid('unsupported_media_type', 'Content-Encoding is not supported; send the body uncompressed');
    }
    return {
      stream,
      contentType: mediaTypes.get(request.raw),
      contentDisposition: headers['content-disposition'],
      contentEncoding,
      length: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
    };
  },
);

/** Fastify chooses a parser by media type alone: requests for streamed routes go to this one. */
const STREAMED = 'application/x.spandrel.streamed';

const mediaTypes = new WeakMap<FastifyRequest['raw'], string | undefined>();

/** `Content-Type` as it came, also of a request whose body is streamed. */
export const contentTypeOf = (request: FastifyRequest): string | undefined =>
  mediaTypes.has(request.raw) ? mediaTypes.get(request.raw) : request.headers['content-type'];

export const isStreamedRoute = ({ config }: { config?: unknown }): boolean =>
  (config as { streamsBody?: boolean } | undefined)?.streamsBody === true;

/** Hands the bodies of routes marked with {@link StreamsBody} over unread. Called after the other parsers are set. */
export function registerStreamedBodies(fastify: FastifyInstance): void {
  const hide: onRequestHookHandler = (request, _reply, done) => {
    mediaTypes.set(request.raw, request.headers['content-type']);
    request.raw.headers['content-type'] = STREAMED;
    done();
  };
  fastify.addHook('onRoute', (route) => {
    if (!isStreamedRoute(route)) return;
    const hooks = route.onRequest ?? [];
    route.onRequest = [hide, ...(Array.isArray(hooks) ? hooks : [hooks])];
  });
  fastify.addContentTypeParser(STREAMED, (request, payload, done) => {
    if (isStreamedRoute(request.routeOptions)) done(null, payload);
    else done(new Invalid('unsupported_media_type', 'this media type is not supported; send application/json'));
  });
}
