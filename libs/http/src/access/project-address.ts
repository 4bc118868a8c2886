import type { FastifyRequest } from 'fastify';

/** The API as pages of the dashboard ask for it: `/p/PROJECT/api/…` (docs/spec/sign-in.md#addresses-of-a-project). */
const OF_PROJECT = /^\/p\/([^/?]+)(?=\/api\/)/;

/** The URL that is routed: without the project that it may begin with. */
export const withoutProject = (url: string): string => url.replace(OF_PROJECT, '');

/** The one project that a request may be about, by its address; `undefined`: that of its credential. */
export const projectOf = ({ originalUrl }: Pick<FastifyRequest, 'originalUrl'>): string | undefined =>
  OF_PROJECT.exec(originalUrl)?.[1];
