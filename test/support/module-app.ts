import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApp } from '@spandrel/http';
import { createLogger, defineFeature, loadSettings } from '@spandrel/kernel';

/** The app with one feature, called `things`, and nothing below it; ready for `inject`. Must be closed. */
export async function moduleApp(
  module: Type,
  env: Readonly<Record<string, string>> = {},
): Promise<NestFastifyApplication> {
  const app = await createHttpApp({
    settings: loadSettings([], { args: [], env, cwd: '/' }),
    plugins: { providers: [], scorers: [], searchIndexes: [], readStores: [], dialects: [], maskers: [] },
    logger: createLogger('silent', 'test'),
    features: [defineFeature({ name: 'things', module, entities: [], requires: [] })],
    modules: [],
  });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}
