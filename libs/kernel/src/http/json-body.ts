import { isUtf8 } from 'node:buffer';
import { JsonSyntaxError, parseExactJson } from '@spandrel/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { lostExportAdvice, lostExportOf } from '../addresses/lost-export.js';
import { Invalid } from '../errors/domain-error.js';

/**
 * Body parsing of the API: JSON only, kept exactly, UTF-8 checked (docs/spec/general.md#json). A body of no bytes is no
 * body, whatever its media type says (an action may be posted with `curl -d ''`).
 */
export function registerJsonBody(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json(?:$|[;\s])/i, { parseAs: 'buffer' }, parseJsonBody);
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    done(body.length === 0 ? null : unsupported(request.headers['content-type']), undefined);
  });
}

type Done = (error: Error | null, body?: unknown) => void;

function parseJsonBody(request: FastifyRequest, body: Buffer | string, done: Done): void {
  const bytes = body as Buffer;
  if (bytes.length === 0) return done(null, undefined);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return done(new Invalid('unsupported_media_type', 'Content-Encoding is not supported; send the body uncompressed'));
  }
  if (!isUtf8(bytes)) {
    const place = firstDifference(bytes, Buffer.from(bytes.toString('utf8'))) + 1;
    return done(new Invalid('malformed_json', `the body is not valid UTF-8: byte ${place} belongs to no character`));
  }
  try {
    done(null, parseExactJson(bytes.toString('utf8')));
  } catch (error) {
    done(error instanceof JsonSyntaxError ? new Invalid('malformed_json', error.message) : (error as Error));
  }
}

/** Decoding puts a replacement where bytes are no text: there they differ from what was decoded. */
function firstDifference(bytes: Buffer, others: Buffer): number {
  let at = 0;
  while (at < bytes.length && bytes[at] === others[at]) at++;
  return at;
}

function unsupported(mediaType: string | undefined): Invalid {
  const lost = lostExportOf('', mediaType);
  const advice = lost ? `; ${lostExportAdvice(lost)}` : '';
  return new Invalid(
    'unsupported_media_type',
    `the media type ${mediaType ? `"${mediaType.slice(0, 100)}" ` : ''}is not supported; send application/json${advice}`,
  );
}
