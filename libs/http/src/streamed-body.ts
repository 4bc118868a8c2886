import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Invalid } from '@spandrel/kernel';

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

export interface StreamedBodyOptions {
  /** Whether it unpacks a compressed body by itself, with a limit of its own. */
  unpacks: boolean;
}

/** Marks a route that takes its body as a stream by {@link BodyStream}: no parser sees it and no limit is applied. */
export const StreamsBody = (): MethodDecorator => RouteConfig({ streamsBody: true });

/**
 * The body of a route marked with {@link StreamsBody}. @throws Invalid when it is compressed, unless the route unpacks.
 */
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
