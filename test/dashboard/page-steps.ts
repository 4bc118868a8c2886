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

/** How often a page is read at first until it shows what is expected; what takes long is seen a twentieth later. */
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
  const started = Date.now();
  for (;;) {
    const found = await read();
    try {
      return expect(found).toEqual(expected);
    } catch (error) {
      if (Date.now() - started > PATIENCE_MS) throw error;
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS + (Date.now() - started) / 20));
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

/** Waits until a page has been open for some milliseconds. @returns what it had asked the API for by then, and when. */
export async function askedWithin(page: Page, ms: number): Promise<[address: string, at: number][]> {
  await page.evaluate(`new Promise((later) => setTimeout(later, Math.max(0, ${ms} - performance.now())))`);
  return (await askedOf(page)).filter(([, at]) => at < ms);
}

const askedOf = (page: Page): Promise<[address: string, at: number][]> =>
  page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('/api/')).map(({ name, startTime }) => [name, startTime])`);

/** Fails when a page that was just opened asks the API for more than six things in the second after its session is known. */
export async function expectFewAsked(page: Page): Promise<void> {
  await expectSoon(async () => (await askedOf(page)).length > 1, true);
  const [, first] = (await askedOf(page))[1]!;
  expect((await askedWithin(page, first + 1_000)).slice(6)).toEqual([]);
}

/** What is asked of an element: tests know no types of a page. */
interface Node {
  isConnected: boolean;
  getRootNode(): { activeElement: unknown };
}

/** Whether an element has the focus, in the page or in a shadow root of it; or is there no more. */
function focusOf(element: unknown): boolean | 'gone' {
  const node = element as Node;
  return node.isConnected ? node === node.getRootNode().activeElement : 'gone';
}

/** Keys of one shortcut, sent at once: the first counts for a moment only, and a page that is busy is slow to take it. */
export async function pressInTurn(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/** Opens the command menu by keys, types, and presses Enter once this is what Enter takes. */
export async function runCommand(page: Page, typed: string, option: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  const menu = page.getByRole('dialog', { name: 'Command menu' });
  await menu.getByRole('combobox', { name: 'Command' }).fill(typed);
  await menu.locator('[role=option][data-highlighted]').filter({ hasText: option }).waitFor();
  await page.keyboard.press('Enter');
}

/** Goes down the open menu by keys until this has the focus, which follows them a frame later, and presses Enter. */
export async function chooseInMenu(page: Page, name: string): Promise<void> {
  const item = page.getByRole('menuitem', { name, exact: true });
  await item.waitFor();
  for (let presses = 0; presses < 20; presses++) {
    if ((await settled(page, () => item.evaluate(focusOf))) === true) return page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
  }
  throw new Error(`ArrowDown never leads to ${name}`);
}

/** Tab until this has the focus. It is looked for once: finding it by its name costs more than the key. */
export async function tabTo(target: Locator): Promise<void> {
  let element = await target.elementHandle();
  // Tab passes over what is turned off until an answer has come.
  await expectSoon(() => target.isEnabled(), true);
  for (let presses = 0; presses < 80; presses++) {
    let focus = await element!.evaluate(focusOf);
    if (focus === 'gone') {
      element = await target.elementHandle();
      focus = await element!.evaluate(focusOf);
    }
    if (focus === true) return;
    await target.page().keyboard.press('Tab');
  }
  throw new Error(`Tab never leads to ${String(target)}`);
}
