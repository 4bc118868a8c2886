/** What people do on every page, and what holds on every page. */
import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { WatchedPage } from './dashboard-browser.ts';

/** Fails with what axe finds in either palette, the one that is shown first; in the second one colours alone are new. */
export async function expectAccessible({ page, axe }: WatchedPage): Promise<void> {
  const isDark = await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`);
  const [shown, other] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  expect([shown, await axe()]).toEqual([shown, []]);
  await page.emulateMedia({ colorScheme: other });
  expect([other, await axe('colours')]).toEqual([other, []]);
}

/** How often a page is read until it shows what is expected. */
const PAUSE_MS = 25;
/** It ends what never comes. */
const PATIENCE_MS = 60_000;
/** So often in a row the same is found before it counts as settled. */
const FRAMES_SAME = 3;

/**
 * Fails unless what is read becomes this: a page is drawn when the browser gets to it, and what is read at once (a count,
 * texts of several elements, the focus, a title, a place on screen) may be what was there before.
 */
export async function expectSoon<T>(read: () => T | Promise<T>, expected: unknown): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    try {
      return expect(found).toEqual(expected);
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}

/** Waits until what is read stays as it is for some frames, and returns it: a place on screen once nothing moves any more. */
export async function settled<T>(page: Page, read: () => Promise<T>): Promise<T> {
  let last = await read();
  for (let same = 0; same < FRAMES_SAME;) {
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    const found = await read();
    same = JSON.stringify(found) === JSON.stringify(last) ? same + 1 : 0;
    last = found;
  }
  return last;
}

/** Tab until this has the focus, in the page or in a shadow root of it. */
export async function tabTo(target: Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    const isThere = await target.evaluate(
      (element) => element === (element.getRootNode() as unknown as { activeElement: unknown }).activeElement,
    );
    if (isThere) return;
    await target.page().keyboard.press('Tab');
  }
  throw new Error(`Tab never leads to ${String(target)}`);
}
