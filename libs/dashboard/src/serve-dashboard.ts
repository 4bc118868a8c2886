import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LOGGER, OPEN_ROUTE, PACKAGE, PAGE_ROUTE, type Logger } from '@spandrel/kernel';
import type { FastifyInstance } from 'fastify';
import { readBuiltFiles } from './built-files.js';
import { HOW_TO_BUILD } from './how-to-build.js';
import { PAGE_HEADERS } from './page-headers.js';
import { PAGE_PATHS } from './page-paths.js';
import { sendFile } from './send-file.js';

/** Where `npm run build` puts the dashboard. */
const BUILT = join(PACKAGE.root, 'dist/dashboard');

const INDEX = '/index.html';

/** Serves the built dashboard: a route a file, so that no path of the file system ever comes from a request. */
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

/**
 * Registers the routes of the dashboard (docs/spec/dashboard.md#addresses).
 * @param folder what the build made; read once, now.
 */
export async function serveDashboard(
  fastify: FastifyInstance,
  folder: string,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  const files = await readBuiltFiles(folder);
  const index = files.find(({ path }) => path === INDEX);
  if (!index) logger.warn('the dashboard is not built: npm run build makes it');
  for (const path of PAGE_PATHS) {
    fastify.get(path, { config: PAGE_ROUTE }, (request, reply) =>
      index
        ? sendFile(request, reply, index)
        : reply
            .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
            .type('text/html; charset=utf-8')
            .code(503)
            .send(HOW_TO_BUILD),
    );
  }
  for (const file of files) {
    if (file === index) continue;
    fastify.get(file.path, { config: OPEN_ROUTE }, (request, reply) => sendFile(request, reply, file));
  }
}
