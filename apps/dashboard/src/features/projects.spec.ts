import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { BrowserSessionResource } from '@spandrel/contract';

const ORIGIN = 'https://spandrel.example';
const RECENT = ['recent-1', 'recent-2'];
const IDS = [...Array.from({ length: 2_000 }, (_, at) => `other-${at}`), ...RECENT];

/** @returns where a link of a trace leads, and the projects that were asked for it. */
async function follow(statusOf: (project: string) => number) {
  const asked: string[] = [];
  const replace = jest.fn();
  const answer = (target: RequestInfo | URL): Response => {
    const { pathname } = new URL(target instanceof Request ? target.url : target, ORIGIN);
    if (pathname === '/api/session/projects') return Response.json({ projects: IDS.map((id) => ({ id })) });
    const project = pathname.split('/')[2]!;
    expect(pathname).toBe(`/p/${project}/api/traces/linked`);
    asked.push(project);
    return new Response(null, { status: statusOf(project) });
  };
  Object.assign(globalThis, {
    location: { origin: ORIGIN, pathname: '/traces/linked', search: '', hash: '', replace },
    localStorage: { getItem: () => RECENT.join(' ') },
  });
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (target) => answer(target));
  const { leadToOwnAddress } = await import('./projects.js');
  await leadToOwnAddress({ mode: 'cloud', kind: 'person', project: { id: 'first' } } as BrowserSessionResource);
  expect(replace).toHaveBeenCalledTimes(1);
  return { led: String(replace.mock.calls[0]![0]).slice(ORIGIN.length), asked };
}

describe('leadToOwnAddress', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    Reflect.deleteProperty(globalThis, 'location');
    Reflect.deleteProperty(globalThis, 'localStorage');
  });

  it('leads to the project that has what is named, those opened last asked first', async () => {
    const { led, asked } = await follow((project) => (project === 'other-3' ? 200 : 404));
    expect([led, asked.slice(0, 3)]).toEqual(['/p/other-3/traces/linked', [...RECENT, 'other-0']]);
  });

  it('asks the projects opened last and twenty others, and leads to the last one where none has it', async () => {
    const { led, asked } = await follow(() => 404);
    expect([led, asked]).toEqual(['/p/recent-1/traces/linked', [...RECENT, ...IDS.slice(0, 20)]]);
  });

  it.each([429, 503])('leads to the last one and asks no more where a project answers %d', async (status) => {
    const { led, asked } = await follow((project) => ({ 'recent-2': status, 'other-0': 200 })[project] ?? 404);
    expect([led, asked.length]).toEqual(['/p/recent-1/traces/linked', 8]);
  });
});
