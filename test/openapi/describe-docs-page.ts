import { afterAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findChromium } from '../dashboard/find-chromium.ts';
import { launchChromium } from '../dashboard/launch-chromium.ts';
import type { Described } from './described.ts';

const browser = findChromium();
const required = process.env['SPANDREL_REQUIRE_SERVICES'] === '1';
const inBrowser = browser !== undefined || required ? it : it.skip;

let chrome: Browser | undefined;
afterAll(() => chrome?.close());

/**
 * The tests of the page that shows the document of a server. The page is the same in both modes: a browser opens that of
 * cloud mode, which asks for credentials elsewhere.
 */
export function describeDocsPage(described: () => Described, isCloud: boolean): void {
  const url = (): string => described().url;

  describe('/docs', () => {
    it('is a page without code of its own, under a strict policy', async () => {
      const answer = await fetch(`${url()}/docs`);
      expect(answer.status).toBe(200);
      const page = await answer.text();
      expect(page).not.toMatch(/<script>|<style|https?:|style=|onload/);
      const policy = answer.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      for (const [, path] of page.matchAll(/(?:href|src)="([^"]+)"/g)) {
        const asset = await fetch(`${url()}/${path}`);
        expect({ path, status: asset.status }).toEqual({ path, status: 200 });
        expect(asset.headers.get('x-content-type-options')).toBe('nosniff');
        expect(asset.headers.get('cache-control')).toContain('max-age=');
        expect((await asset.arrayBuffer()).byteLength).toBeGreaterThan(100);
      }
    });

    it.each([
      '/docs/package.json',
      '/docs/..%2fpackage.json',
      '/docs/%2e%2e/package.json',
      '/docs/%2e%2e%2f%2e%2e%2fpackage.json',
      '/docs/swagger-ui.css%00.js',
      '/docs/swagger-ui-bundle.js.map',
      '/docs//etc/passwd',
      '/docs/',
    ])('serves nothing else: %s', async (path) => {
      const { headers } = described().api;
      const answer = await fetch(url() + path, { headers });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    });

    if (!isCloud) return;
    const skipped = inBrowser === it ? '' : ' (skipped: no chromium on the PATH)';
    inBrowser(
      `shows the operations in a browser, which asks no other host${skipped}`,
      async () => {
        chrome = await launchChromium(browser);
        const page = await chrome.newPage();
        const faults: string[] = [];
        const hosts = new Set<string>();
        page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
        page.on('pageerror', (error) => faults.push(String(error)));
        page.on('request', (request) => request.url().startsWith('data:') || hosts.add(new URL(request.url()).origin));
        await page.goto(`${url()}/docs`);
        await page.locator('#operations-tag-Tracing').click();
        const operation = page.locator('#operations-Tracing-createTrace');
        await operation.waitFor({ timeout: 20_000 });
        expect(await operation.textContent()).toContain('/api/traces');
        await operation.locator('button').first().click();
        await operation.locator('.responses-wrapper').waitFor();
        expect(await operation.textContent()).toContain('id_conflict');
        expect(faults).toEqual([]);
        expect([...hosts]).toEqual([url()]);
        await page.close();
      },
      90_000,
    );
  });
}
