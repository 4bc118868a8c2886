/** The dashboard in Debian's chromium. Every page is watched: a fault on any of them fails the test that opened it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium } from './find-chromium.ts';
import { launchChromium } from './launch-chromium.ts';
import { slowDown } from './slow-browser.ts';

const EXECUTABLE = findChromium();
const isRequired = process.env['SPANDREL_REQUIRE_SERVICES'] === '1';

/** Whether there is a browser to test in, or one is demanded. */
export const hasBrowser = EXECUTABLE !== undefined || isRequired;

/** A test in the browser; shown as skipped where the PATH has none. */
export const inBrowser = hasBrowser ? it : it.skip;

/** The rules of axe that look at colours; all others find the same in either palette. */
const COLOUR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
const AXE_RULES = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };

/** It ends what never comes; how quick a page is these tests do not say. */
const PATIENCE_MS = 60_000;

/** A page that is watched. */
export interface WatchedPage {
  page: Page;
  /** What a page must never do: errors, violations of its policy, requests to anybody else, answers with 5xx. */
  faults(): readonly string[];
  /**
   * What axe finds, one line each; in the dialog where one is open, since nobody reaches the page below it.
   * @param rules `colours` where all others have found nothing in the other palette.
   */
  axe(rules?: 'all' | 'colours'): Promise<string[]>;
  /** What was copied last; the page itself may write there and not read. */
  clipboard(): Promise<string>;
  /** Ends what it shows: it reads nothing any more, and is reported nothing. */
  leave(): Promise<void>;
  /**
   * Makes it a browser that was never here as soon as it goes somewhere: nothing stored, no faults, light; cheaper than a page of
   * its own. What it showed stays until then.
   */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** The browser of a suite, started when it is first needed. */
export class DashboardBrowser {
  private started: Promise<Browser> | undefined;

  /** @param apiUrl the only address that the page may ask. */
  async open(apiUrl: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    this.started ??= launchChromium(EXECUTABLE);
    const context = await (
      await this.started
    ).newContext({
      // Lower than most screens: rows further down are made, drawn and looked at as those above them.
      viewport: { width: 1_280, height: 600 },
      permissions: ['clipboard-read', 'clipboard-write'],
      // Nothing moves: what is read of a page is not halfway to what it will be.
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const faults: string[] = [];
    const page = await context.newPage();
    await page.addInitScript(FORGET);
    watch(page, apiUrl, faults);
    await slowDown(context, page);
    let plain: Page | undefined;
    return {
      page,
      faults: () => faults,
      axe: (rules) => runAxe(page, rules === 'colours' ? COLOUR_RULES : AXE_RULES),
      clipboard: async () => {
        plain ??= await openPlain(page, apiUrl);
        return plain.evaluate('navigator.clipboard.readText()');
      },
      leave: async () => void (await page.goto(apiUrl + PLAIN_PAGE)),
      renew: () => renew(page, faults),
      close: () => context.close(),
    };
  }

  async close(): Promise<void> {
    await (await this.started)?.close();
  }
}

/** Fails with what a page did that it must not do. */
export function expectNoFaults(watched: WatchedPage): void {
  expect(watched.faults()).toEqual([]);
}

/** Fails with what the page did that it must not do. @param allowed what the browser itself says of an answer that was wanted. */
export function expectNoFaultsBut({ faults, ...rest }: WatchedPage, allowed: RegExp): void {
  expectNoFaults({ ...rest, faults: () => faults().filter((fault) => !allowed.test(fault)) });
}

function watch(page: Page, apiUrl: string, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  // Violations of the policy are reported on the console, too.
  page.on('console', (message) => {
    // The plain page names no icon, so that the browser looks for one where there is none.
    if (message.location().url.endsWith('/favicon.ico')) return;
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== apiUrl) faults.push(`asked ${url.href}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} of ${response.url()}`);
  });
}

/** A page of the same address without scripts: the process that has compiled those of the dashboard stays. */
const PLAIN_PAGE = '/livez';

/** The name of a window whose next page is to find nothing stored: what is there may still store something as it goes. */
const FORGETFUL = 'forgetful';
const FORGET = `if (name === '${FORGETFUL}') {
  name = '';
  localStorage.clear();
  sessionStorage.clear();
}`;

async function renew(page: Page, faults: string[]): Promise<void> {
  await page.context().clearCookies();
  await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' });
  await page.evaluate(`name = '${FORGETFUL}'`);
  page.once('framenavigated', () => void faults.splice(0));
}

/** Only what is wrong is described, the stylesheets are not fetched again, and no page has a frame. */
const AXE_OPTIONS = { resultTypes: ['violations'], preload: false, iframes: false };

const require = createRequire(import.meta.url);
/** Without comments and long names: each page that is looked at gets it again. */
let axeSource: string | undefined;

async function runAxe(page: Page, runOnly: object): Promise<string[]> {
  axeSource ??= readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axeSource);
  const part = `document.querySelector('dialog:modal') ?? document`;
  return page.evaluate(`axe.run(${part}, ${JSON.stringify({ ...AXE_OPTIONS, runOnly })}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
}

/** A tab that may read what was copied. */
async function openPlain(page: Page, apiUrl: string): Promise<Page> {
  const plain = await page.context().newPage();
  await plain.goto(apiUrl + PLAIN_PAGE);
  await page.bringToFront();
  return plain;
}
