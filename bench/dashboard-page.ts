import type { Browser, Page } from 'playwright-core';

/** A page of its own profile that notes what moves and what holds it up: `shift`, `longest` (task) and `interactions`, in milliseconds. */
export async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(`
    globalThis.shift = 0; globalThis.longest = 0; globalThis.interactions = new Map();
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (shift += value))).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (longest = Math.max(longest, duration)))).observe({ type: 'longtask', buffered: true });
    new PerformanceObserver((list) => list.getEntries().forEach(({ interactionId: id, duration }) => id && interactions.set(id, Math.max(duration, interactions.get(id) ?? 0)))).observe({ type: 'event', durationThreshold: 16, buffered: true });
  `);
  return page;
}

/** The first row of a list or of a trace. */
export const ROWS = ':is([role=grid], [role=treegrid]) [role=rowgroup] + [role=rowgroup] [role=row]:not([aria-busy])';
/** Script that resolves with the time of the frame that shows what a selector finds. */
export const shownAt = (selector: string): string => `new Promise((resolve) => {
  const look = () => document.querySelector(${JSON.stringify(selector)}) ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look);
  look();
})`;

/** 95th percentile of the time between frames while something is scrolled by 400 pixels a frame, there and back. */
export async function scroll(page: Page, selector: string): Promise<number> {
  return Number(
    await page.evaluate(`(async () => {
      const element = document.querySelector(${JSON.stringify(selector)});
      const times = [];
      let before = await new Promise(requestAnimationFrame);
      for (let n = 0; n < 300; n++) {
        element.scrollTop += n < 150 ? 400 : -400;
        const at = await new Promise(requestAnimationFrame);
        times.push(at - before);
        before = at;
      }
      return times.sort((a, b) => a - b)[284];
    })()`),
  );
}
