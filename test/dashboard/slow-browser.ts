import type { BrowserContext, Page, Route } from 'playwright-core';
import { random } from '../support/random.ts';

/** How long something is held back at most. */
const HELD_MS = 1_500;
const below = random(0);
const held = (): Promise<void> => new Promise((done) => setTimeout(done, below(HELD_MS)));
// The page may have gone on, or be closed, while something was held back.
const holdRequest = (route: Route): Promise<void> =>
  held()
    .then(() => route.continue())
    .catch(() => undefined);

/** What `SPANDREL_SLOW_BROWSER` may say; the times are others with another `SPANDREL_TEST_SEED`. */
const SLOW: Partial<Record<string, (context: BrowserContext, page: Page) => Promise<unknown>>> = {
  requests: (context) => context.route('**/api/**', holdRequest),
  // What is answered is old by the time it comes.
  answers: (context) => context.route('**/api/**', (route) => holdAnswer(route).catch(() => undefined)),
  scripts: (context) => context.route('**/assets/*.js', holdRequest),
  cpu: async (context, page) => (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: 6 }),
};

async function holdAnswer(route: Route): Promise<void> {
  const request = route.request();
  // What comes piece by piece would come whole.
  if (!request.headers()['accept']?.includes('json') || request.url().endsWith('/api/try')) return holdRequest(route);
  // A connection that the server has closed meanwhile is no answer.
  const response = await route.fetch({ maxRetries: 3 });
  await held();
  await route.fulfill({ response });
}

/** Makes a page as slow as on a busy machine, where the environment says how: answers come late and in another order. */
export async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  await SLOW[process.env['SPANDREL_SLOW_BROWSER'] ?? '']?.(context, page);
}
