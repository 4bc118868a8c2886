/**
 * Takes the pictures of the documents again, of the built program with a day of sample recordings:
 *
 *     npm run build && node_modules/.bin/node test/dashboard/screenshots/take-screenshots.ts [folder]
 */
import '../../../bin/require-node.mjs';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { takeDirectory } from '../../support/places.ts';
import { findChromium } from '../find-chromium.ts';
import { compareRuns, type ComparedRuns } from './compared-runs.ts';
import { recordSupportDesk } from './recorded-support-desk.ts';

interface Picture {
  name: string;
  path(made: ComparedRuns): string;
  colorScheme?: 'dark';
  /** What one does before the picture is worth looking at. */
  prepare?(page: Page): Promise<void>;
}

/** A chart is drawn a moment after its figure is there. */
const DRAWN_MS = 1_000;

const PICTURES: readonly Picture[] = [
  { name: 'traces', path: () => '/traces', prepare: (page) => page.getByRole('row').nth(12).waitFor() },
  {
    name: 'trace',
    path: () => '/traces/desk-3?span=desk-3-answer',
    prepare: (page) => page.getByRole('article').last().waitFor(),
  },
  {
    name: 'flame-dark',
    path: () => '/traces/desk-8?view=flame&span=desk-8-tool',
    colorScheme: 'dark',
    prepare: (page) => page.getByRole('region', { name: 'Span details' }).getByText('Rotterdam').first().waitFor(),
  },
  {
    name: 'analytics',
    path: () => '/analytics?range=24h&split_by=model',
    prepare: (page) => page.getByRole('figure', { name: 'Latency' }).waitFor(),
  },
  {
    name: 'session',
    path: () => '/sessions/ticket-1199',
    prepare: (page) => page.getByRole('article').nth(1).waitFor(),
  },
  {
    name: 'compare',
    path: ({ runs: [first, second] }) => `/evaluations/compare?runs=${first},${second}&baseline=${first}`,
    prepare: async (page) => {
      await page.getByRole('grid', { name: 'Comparison' }).getByRole('row').nth(1).click();
      await page.getByRole('region', { name: 'Difference' }).locator('ins').first().waitFor();
    },
  },
  {
    name: 'review',
    path: ({ dataset }) => `/review/${dataset}`,
    prepare: (page) => page.getByRole('button', { name: 'Approve' }).waitFor(),
  },
];

const folder = resolve(process.argv[2] ?? 'docs/images');
mkdirSync(folder, { recursive: true });
const place = await takeDirectory();
const executablePath = findChromium();
if (executablePath === undefined) throw new Error('there is no chromium on the PATH');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const program = await place.start({});
  await recordSupportDesk(program.api);
  const made = await compareRuns(program.api);
  for (const { name, path, colorScheme = 'light', prepare } of PICTURES) {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, colorScheme, timezoneId: 'UTC' });
    await page.goto(`${program.apiUrl}${path(made)}`);
    await prepare?.(page);
    await page.waitForTimeout(DRAWN_MS);
    await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
    await page.close();
    process.stdout.write(`${join(folder, name)}.png\n`);
  }
} finally {
  await browser.close();
  await place.close();
}
