/** The pages of the dashboard, by the first segment of their paths; the application finds the rest itself. */
const PAGES = [
  ...['traces', 'sessions', 'spans', 'analytics', 'datasets', 'evaluations', 'review', 'connections', 'events'],
  ...['settings', 'sign-in'],
];

/** Paths that answer the page, as routes (docs/spec/dashboard.md#addresses). */
export const PAGE_PATHS: readonly string[] = ['/', ...PAGES.flatMap((page) => [`/${page}`, `/${page}/*`])];
