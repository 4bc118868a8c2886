import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { OPEN_ROUTE, PAGE_ROUTE, setNotFoundPage } from '@spandrel/http';
import { LOGGER, PACKAGE, type Logger } from '@spandrel/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listBuiltFiles } from './built-files.js';
import { PAGE_HEADERS } from './page-headers.js';
import { sendFile } from './send-file.js';
import { HOW_TO_BUILD, HOW_TO_RENEW } from './unavailable-page.js';

const BUILT = join(PACKAGE.root, 'dist/dashboard');

const INDEX = '/index.html';

/** The pages of the dashboard, by the first segment of their paths; the application finds the rest itself. */
const PAGES = [
  ...['traces', 'sessions', 'spans', 'analytics', 'datasets', 'evaluations', 'review', 'connections', 'events'],
  ...['settings', 'sign-in', 's', 'users', 'boards', 'scoring-rules', 'alerts'],
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
