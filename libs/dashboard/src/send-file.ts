import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding } from './accepted-encoding.js';
import type { BuiltFile } from './built-file.js';
import { PAGE_HEADERS } from './page-headers.js';

const YEAR_SECONDS = 31_536_000;

/**
 * Sends a file in the smallest encoding that the client takes; 304 where it has it. @throws as {@link BuiltFile.body}
 */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): Promise<FastifyReply> {
  const { encodings, isImmutable, mediaType } = file.facts;
  const encoding = acceptedEncoding(headerText(request.headers['accept-encoding']), encodings);
  const { bytes, etag } = await file.body(encoding);
  // The address of a page that a link opens is the secret: nobody keeps it, and no search engine finds it.
  const isByLink = request.url.startsWith('/s/');
  void reply.headers({
    ...PAGE_HEADERS,
    ...(isByLink && { 'x-robots-tag': 'noindex' }),
    'cache-control': isImmutable ? `public, max-age=${YEAR_SECONDS}, immutable` : isByLink ? 'no-store' : 'no-cache',
    etag,
    vary: 'Accept-Encoding',
  });
  if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding) void reply.header('content-encoding', encoding);
  return reply.type(mediaType).send(bytes);
}

/** Whether `If-None-Match` names the version; compared weakly, as it is for reading (RFC 9110, 13.1.2). */
const hasVersion = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));

const headerText = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(',') : header;
