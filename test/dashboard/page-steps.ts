/** What people do on every page, and what holds on every page. */
import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { WatchedPage } from './dashboard-browser.ts';

/** Fails with what axe finds in either palette. */
export async function expectAccessible({ page, axe }: WatchedPage): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await axe()]).toEqual([colorScheme, []]);
  }
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
