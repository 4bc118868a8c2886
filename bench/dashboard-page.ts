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

/**
 * Milliseconds from frame to frame while something is scrolled on, 400 pixels a frame, into what was never shown. A frame
 * counts when it moved: at the end of what is known one waits for the next page.
 */
export async function scrollOn(page: Page, selector: string, frames: number): Promise<number[]> {
  return (await page.evaluate(`(async () => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const times = [];
    let before = await new Promise(requestAnimationFrame);
    for (let waited = 0; times.length < ${frames} && waited < 5_000; ) {
      const from = element.scrollTop;
      element.scrollTop += 400;
      const moved = element.scrollTop > from;
      const at = await new Promise(requestAnimationFrame);
      if (moved) times.push(at - before); else waited++;
      before = at;
    }
    return times;
  })()`)) as number[];
}

/** The bare virtual list that lists of ours are compared with: as many rows, cells of fixed texts, nothing else. */
export async function openBareList(browser: Browser, rows: number): Promise<Page> {
  const page = await newPage(browser);
  await page.setContent(
    '<div role="grid" style="height:560px;overflow:auto;position:relative;font:12px/28px sans-serif"></div>',
  );
  await page.evaluate(`(() => {
    const grid = document.querySelector('[role=grid]');
    const space = grid.appendChild(document.createElement('div'));
    space.style.height = ${rows} * 28 + 'px';
    const pool = Array.from({ length: 44 }, () => {
      const row = grid.appendChild(document.createElement('div'));
      row.style.cssText = 'position:absolute;inset:0 0 auto;height:28px;display:grid;gap:12px;grid-template-columns:136px 180px minmax(240px,1fr) 90px 140px 90px 90px 80px 80px';
      for (let cell = 0; cell < 9; cell++) row.append(document.createElement('div'));
      return row;
    });
    const draw = () => {
      const first = Math.max(0, Math.floor(grid.scrollTop / 28) - 12);
      pool.forEach((row, n) => {
        row.style.transform = 'translateY(' + (first + n) * 28 + 'px)';
        [...row.children].forEach((cell, at) => (cell.textContent = 'cell ' + at + ' of row ' + (first + n)));
      });
    };
    grid.addEventListener('scroll', draw);
    draw();
  })()`);
  return page;
}

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
