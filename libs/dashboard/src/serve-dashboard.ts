import { join, extname, relative, sep } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { OPEN_ROUTE, PAGE_ROUTE, setNotFoundPage } from '@spandrel/http';
import { LOGGER, PACKAGE, type Logger } from '@spandrel/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_HEADERS } from './page-headers.js';
import { BuiltFile, ENCODINGS } from './built-file.js';
import { readdir } from 'node:fs/promises';

const BUILT = join(PACKAGE.root, 'dist/dashboard');

const INDEX = '/index.html';

/** The pages of the dashboard, by the first segment of their paths; the application finds the rest itself. */
const PAGES = [
  ...['traces', 'sessions', 'spans', 'analytics', 'datasets', 'evaluations', 'review', 'connections', 'events'],
  ...['settings', 'sign-in', 's', 'p', 'users', 'boards', 'scoring-rules', 'alerts', 'try'],
];

/** Paths that answer the page, as routes (docs/spec/dashboard.md#addresses). */
const PAGE_PATHS: readonly string[] = ['/', ...PAGES.flatMap((page) => [`/${page}`, `/${page}/*`])];

/** The folder of the files whose names have a hash, as Vite calls it. */
const ASSETS = '/assets/';

/** Serves the built dashboard: files are looked up in a list, so that no path of the file system comes from a request. */
@Injectable()
export class ServeDashboard implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    await serveDashboard(this.adapter.httpAdapter.getInstance<FastifyInstance>(), BUILT, this.logger);
  }
}

/** Registers the routes of the dashboard (docs/spec/dashboard.md#addresses). @param folder is listed once, now. */
export async function serveDashboard(
  fastify: FastifyInstance,
  folder: string,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  const files = await listBuiltFiles(folder);
  const index = files.get(INDEX);
  if (!index) logger.warn('the dashboard is not built: npm run build makes it');
  let isReplaced = false;
  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (isReplaced) return sendUnavailable(reply, HOW_TO_RENEW);
    return index ? sendFile(request, reply, index) : sendUnavailable(reply, HOW_TO_BUILD);
  };
  const sendKnown = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> => {
    const file = files.get(path);
    try {
      if (file) return await sendFile(request, reply, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      if (!isReplaced) logger.warn('the dashboard was rebuilt while the server runs: start the server again');
      isReplaced = true;
    }
    reply.callNotFound();
    return reply;
  };
  for (const path of PAGE_PATHS) fastify.get(path, { config: PAGE_ROUTE }, sendPage);
  // One route for a hundred files, which together took a fiftieth of a start.
  fastify.get<{ Params: { '*': string } }>(`${ASSETS}*`, { config: OPEN_ROUTE }, (request, reply) =>
    sendKnown(request, reply, ASSETS + request.params['*']),
  );
  setNotFoundPage(fastify, (request, reply) => sendPage(request, reply.code(404)));
  for (const path of files.keys()) {
    if (path === INDEX || path.startsWith(ASSETS)) continue;
    fastify.get(path, { config: OPEN_ROUTE }, (request, reply) => sendKnown(request, reply, path));
  }
}

const sendUnavailable = (reply: FastifyReply, page: string): FastifyReply =>
  reply
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .code(503)
    .send(page);

/** A page in place of the dashboard. @param lines paragraphs in HTML. */
const page = (title: string, lines: readonly string[]): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Spandrel</title>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
${lines.map((line) => `      <p>${line}</p>\n`).join('')}    </main>
  </body>
</html>
`;

const API_RUNS = 'The API runs: it is described at <a href="docs">/docs</a>.';

/** The page of an installation that has no built dashboard: it runs from sources that nobody has built yet. */
const HOW_TO_BUILD = page('The dashboard is not built', [
  'Run <code>npm run build</code> in the folder of Spandrel and start the server again.',
  API_RUNS,
]);

/** The page of a server whose files a build has replaced since its start. */
const HOW_TO_RENEW = page('The dashboard was rebuilt', [
  'The files that this server began with are gone. Start the server again to get the new ones.',
  API_RUNS,
]);

const YEAR_SECONDS = 31_536_000;

/**
 * Sends a file in the smallest encoding that the client takes; 304 where it has it. @throws as {@link BuiltFile.body}
 */
async function sendFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): Promise<FastifyReply> {
  const { encodings, isImmutable, mediaType } = file.facts;
  const encoding = acceptedEncoding(request.headers['accept-encoding'], encodings);
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

/**
 * The encoding in which a file is sent (RFC 9110, 12.5.3): the first that the client takes.
 * @param available encodings that there are, the preferred one first.
 * @returns `undefined` for the plain file, also for a client that sends no header or refuses everything.
 */
export function acceptedEncoding<Encoding extends string>(
  header: string | undefined,
  available: readonly Encoding[],
): Encoding | undefined {
  const weights = new Map((header ?? '').split(',').map(weightOf));
  return available.find((encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0);
}

/** `gzip;q=0.5` as its name and weight. A weight that is no number counts as none. */
function weightOf(entry: string): [name: string, weight: number] {
  const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice('q='.length));
  return [name, Number.isFinite(weight) ? weight : 0];
}

/** A file that the build gave no known extension is a fault of the build. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

/** Vite puts eight characters of a hash behind the last hyphen. */
const IMMUTABLE = /^\/assets\/.+-[\w-]{8}\.\w+$/;

/**
 * The files of a folder that the build made, by their addresses. Those without a hash in their name are read now: when
 * a build replaces them, other bytes have their name.
 * @returns none where there is no such folder. @throws Error for an unknown media type or a file that cannot be read.
 */
async function listBuiltFiles(folder: string): Promise<ReadonlyMap<string, BuiltFile>> {
  const found = new Set(await filesOf(folder));
  const isEncoded = (file: string): boolean => ENCODINGS.some(({ extension }) => extname(file) === extension);
  const files = [...found].filter((file) => !isEncoded(file)).map((file) => builtFile(folder, file, found));
  await Promise.all(files.filter(({ facts }) => !facts.isImmutable).map((file) => file.readAll()));
  return new Map(files.map((file) => [file.facts.path, file]));
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function builtFile(folder: string, file: string, found: ReadonlySet<string>): BuiltFile {
  const mediaType = MEDIA_TYPES[extname(file)];
  if (mediaType === undefined) throw new Error(`the media type of ${file} is not known`);
  const path = `/${relative(folder, file).split(sep).join('/')}`;
  const encodings = ENCODINGS.filter(({ extension }) => found.has(file + extension)).map(({ name }) => name);
  return new BuiltFile({ file, path, mediaType, isImmutable: IMMUTABLE.test(path), encodings });
}
