/** Marks a route outside Nest that everyone may call, as Fastify's `config`. */
export const OPEN_ROUTE = { openRoute: true } as const;

/** Marks an open route that answers a page: any query may stand behind its address, which the page's own scripts read. */
export const PAGE_ROUTE = { ...OPEN_ROUTE, anyQuery: true, isPage: true } as const;

/** Marks an open route that answers a page and takes no query. */
export const PLAIN_PAGE_ROUTE = { ...OPEN_ROUTE, isPage: true } as const;

export const isOpenRoute = (config: unknown): boolean =>
  (config as Partial<typeof PAGE_ROUTE> | undefined)?.openRoute === true;

export const takesAnyQuery = (config: unknown): boolean =>
  (config as Partial<typeof PAGE_ROUTE> | undefined)?.anyQuery === true;

export const isPageRoute = (config: unknown): boolean =>
  (config as Partial<typeof PAGE_ROUTE> | undefined)?.isPage === true;
