import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { PACKAGE } from '@spandrel/kernel';
import { OPEN_ROUTE, PLAIN_PAGE_ROUTE } from '../operation.js';

/** Everything comes from this server, and nothing in the page is code but the files named. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const OPEN = { config: OPEN_ROUTE };

const DAY_SECONDS = 86_400;

/** The page; its links are relative, so that it works behind a path prefix too. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Spandrel API</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
  </head>
  <body>
    <div id="docs"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** Settings of the viewer: no validator, which would send the document to another host; more than 130 operations folded. */
const START = `SwaggerUIBundle({
  url: 'api/openapi.json',
  dom_id: '#docs',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  validatorUrl: null,
  docExpansion: 'none',
});
`;

const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

const VIEWER_FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', CSS],
  ['swagger-ui-bundle.js', JAVASCRIPT],
  ['favicon-32x32.png', 'image/png'],
]);

/** `GET /docs`: the OpenAPI document as a page (docs/spec/health.md#the-openapi-description). */
export function registerDocsPage(fastify: FastifyInstance): void {
  const require = createRequire(join(PACKAGE.root, 'package.json'));
  fastify.get('/docs', { config: PLAIN_PAGE_ROUTE }, (_request, reply) =>
    withHeaders(reply, 'text/html; charset=utf-8', 'no-cache')
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'no-referrer')
      .send(PAGE),
  );
  fastify.get('/docs/start.js', OPEN, (_request, reply) => withHeaders(reply, JAVASCRIPT, CACHED).send(START));
  for (const [file, type] of VIEWER_FILES) {
    fastify.get(`/docs/${file}`, OPEN, async (_request, reply) => {
      const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
      return withHeaders(reply, type, CACHED).send(await readFile(join(folder, file)));
    });
  }
}

const CACHED = `public, max-age=${DAY_SECONDS}`;

const withHeaders = (reply: FastifyReply, type: string, cache: string): FastifyReply =>
  reply.header('content-type', type).header('cache-control', cache);
