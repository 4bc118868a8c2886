/** What somebody types or chooses stays when an answer, or the address, comes late: on a slow machine, or a bad network. */
import { afterEach, describe, expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, expectNoFaultsBut, inBrowser } from './dashboard-browser.ts';
import { datapointsOf, editor, editorText, heading, makeDataset, open, reported } from './dataset-steps.ts';
import { expectSoon, settled } from './page-steps.ts';
import { recordManySpans } from './recorded-spans.ts';
import { journeysOn, page, program, provider, watched } from './shared-dashboard.ts';

const onTrace = journeysOn(async () => {
  await recordManySpans(program.api, 'many', 20);
  const connection = { name: 'ours', provider: 'openai', api_key: 'sk-test-fake', base_url: `${provider.url}/v1` };
  await program.api.post('/api/provider-connections', connection);
});

/** Holds the requests that change something back. @returns lets them go on. */
async function holdChanges(path: string, method: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (route.request().method() === method) await promise;
    await route.continue();
  });
  return resolve;
}

/**
 * Does something in the moment in which the router writes an address, before it has drawn the page of it, and notes what is
 * read of the page in every frame since.
 */
const atNextAddress = (act: string, read: string): Promise<void> =>
  page.evaluate(`{
    const write = history.replaceState;
    history.replaceState = function (...args) {
      history.replaceState = write;
      write.apply(this, args);
      ${act};
      globalThis.seen = [];
      const note = () => { seen.push(${read}); requestAnimationFrame(note); };
      requestAnimationFrame(note);
    };
  }`);
/** Holds back the pages that the router goes to next, at addresses of this route. @returns lets them be drawn. */
async function holdPages(route: string): Promise<() => Promise<void>> {
  await page.evaluate(`{
    const { promise, resolve } = Promise.withResolvers();
    __TSR_ROUTER__.routesById[${JSON.stringify(route)}].options.beforeLoad = () => promise;
    globalThis.draw = resolve;
  }`);
  return () => page.evaluate('draw()');
}

const seen = async (): Promise<unknown[]> => [...new Set(await page.evaluate<unknown[]>('seen'))];

describe('what somebody types', () => {
  onTrace();
  afterEach(() => page.unrouteAll({ behavior: 'wait' }));

  inBrowser('while a datapoint is made or saved is not lost, and no second one is made', async () => {
    const id = await makeDataset('late');
    await open(`/datasets/${id}/datapoints/new?tab=json`);
    await editor().fill('{"input": "one"}');
    const make = await holdChanges('**/datapoints', 'POST');
    // Twice before anything is drawn, as on a machine that stood still meanwhile.
    await page.evaluate(`for (let n = 0; n < 2; n++)
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true, cancelable: true }))`);
    await editor().fill('{"input": "two"}');
    await page.keyboard.press('ControlOrMeta+s');
    make();
    await reported('Added a datapoint');
    await heading('one');
    await until(async () => (await editorText()) === '{"input": "two"}');
    await page.getByText('Not saved yet').waitFor();
    const save = await holdChanges('**/datapoints/*', 'PUT');
    await page.keyboard.press('ControlOrMeta+s');
    await editor().fill('{"input": "three"}');
    save();
    await reported('Saved the datapoint');
    await heading('two');
    await until(async () => (await editorText()) === '{"input": "three"}');
    await page.keyboard.press('ControlOrMeta+s');
    await heading('three');
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect((await datapointsOf(id)).map(({ kind }) => kind['Generic']!['input'])).toEqual(['three']);
    expectNoFaults(watched);
  });

  inBrowser(
    'before the page of a new datapoint is there belongs to it, and nothing is left to save until then',
    async () => {
      const id = await makeDataset('late');
      const inputs = async () => (await datapointsOf(id)).map(({ kind }) => kind['Generic']!['input']);
      await open(`/datasets/${id}/datapoints/new?tab=json`);
      await editor().fill('{"input": "one"}');
      const draw = await holdPages('/datasets/$id/datapoints/$dp');
      await page.keyboard.press('ControlOrMeta+s');
      await reported('Added a datapoint');
      await expectSoon(() => page.getByRole('button', { name: /^Save/ }).isEnabled(), false);
      await page.keyboard.press('ControlOrMeta+s');
      await editor().fill('{"input": "two"}');
      await page.getByText('Not saved yet').waitFor();
      await page.keyboard.press('ControlOrMeta+s');
      await expectSoon(inputs, ['two']);
      await draw();
      await page.waitForURL((url) => !url.pathname.endsWith('/new'));
      await heading('two');
      await page.getByText('Not saved yet').waitFor({ state: 'detached' });
      expect(await inputs()).toEqual(['two']);
      expectNoFaults(watched);
    },
  );

  inBrowser('is sent once where the button is pressed twice', async () => {
    // Keys that came while the page was busy are taken one behind the other, before any timer.
    const pressTwice = async (within: Locator, name: string, role: 'button' | 'menuitem' = 'button'): Promise<void> => {
      await within.getByRole(role, { name, exact: true }).focus();
      const busy = page.evaluate(`new Promise((done) => setTimeout(() => {
        for (const end = performance.now() + 500; performance.now() < end;);
        done();
      }))`);
      await Promise.all([busy, page.keyboard.press('Enter'), page.keyboard.press('Enter')]);
    };
    const sent: string[] = [];
    page.on('request', (request) => void (request.method() !== 'GET' && sent.push(new URL(request.url()).pathname)));
    // Analytics are read by POST.
    const changed = (): (string | undefined)[] =>
      sent.map((path) => path.split('/')[2]).filter((name) => name !== 'analytics');
    await open('/datasets');
    await page.getByRole('main').getByRole('button', { name: 'New dataset' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('pressed twice');
    await pressTwice(dialog, 'Create');
    await heading('pressed twice');
    await page.getByRole('button', { name: 'Delete dataset' }).click();
    await pressTwice(page.getByRole('alertdialog'), 'Delete');
    await reported('Deleted the dataset pressed twice');
    await open('/traces/many');
    await page.getByRole('main').getByRole('button', { name: 'Comments' }).first().click();
    await dialog.getByLabel('Comment', { exact: true }).fill('Once');
    await pressTwice(dialog, 'Add comment');
    await dialog.getByRole('article').getByText('Once').waitFor();
    await dialog.getByRole('article').getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('No comments yet.').waitFor();
    const { pathname } = new URL(page.url());
    // An entry of a menu, too.
    await open('/analytics');
    // By a key, since figures that are still loading may move the button between a press of the mouse and its release.
    await page
      .getByRole('figure', { name: 'Cost', exact: true })
      .getByRole('button', { name: 'Pin to board' })
      .press('Enter');
    await pressTwice(page.getByRole('menu'), 'Reliability', 'menuitem');
    await reported('Pinned Cost to Reliability');
    expect([pathname, changed()]).toEqual(['/traces/many', ['datasets', 'datasets', 'comments', 'comments', 'boards']]);
    expectNoFaults(watched);
  });

  inBrowser('while a comment is sent becomes the next one', async () => {
    await open('/traces/many');
    await page.getByRole('main').getByRole('button', { name: 'Comments' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Comments' });
    const field = dialog.getByLabel('Comment', { exact: true });
    await field.fill('First');
    const send = await holdChanges('**/api/comments', 'POST');
    await dialog.getByRole('button', { name: 'Add comment' }).click();
    await field.fill('Second');
    send();
    await dialog.getByRole('article').getByText('First').waitFor();
    expect(await field.inputValue()).toBe('Second');
    expectNoFaults(watched);
  });

  inBrowser('as a score is listed where the first list of scores comes after it', async () => {
    await program.api.post('/api/scores', { name: 'before', value: 1, trace_id: 'many' });
    const given = Promise.withResolvers<void>();
    await page.route('**/api/scores?*', async (route) => {
      const response = await route.fetch();
      await given.promise;
      await route.fulfill({ response });
    });
    await open('/traces/many');
    await page.getByRole('button', { name: 'Add score' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add score' });
    await dialog.getByLabel('Name').fill('late');
    await dialog.getByRole('textbox', { name: 'late' }).fill('0.5');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    given.resolve();
    const chips = page.getByRole('list', { name: 'Trace scores' }).getByRole('button');
    await expectSoon(async () => (await chips.allTextContents()).toSorted(), ['before 1', 'late 0.5']);
    expectNoFaults(watched);
  });

  inBrowser('beside rules of masking stays when they are saved', async () => {
    await open('/settings');
    const section = page.getByRole('region', { name: 'Masking' });
    await section.getByRole('button', { name: 'Add a rule' }).click();
    await section.getByLabel('Try a text out').fill('jane@example.com');
    const save = await holdChanges('**/masking', 'PUT');
    await section.getByRole('button', { name: 'Save rules' }).click();
    await section.getByLabel('Label', { exact: true }).fill('mail');
    save();
    await reported('Saved. The rules apply to new recordings');
    expect(await section.getByLabel('Try a text out').inputValue()).toBe('jane@example.com');
    expect(await section.getByLabel('Label', { exact: true }).inputValue()).toBe('mail');
    await section.getByRole('button', { name: 'Remove rule 1' }).click();
    await section.getByRole('button', { name: 'Save rules' }).click();
    const rules = async () => (await program.api.get<{ rules: unknown[] }>('/api/projects/local/masking')).body.rules;
    await until(async () => (await rules()).length === 0);
    expectNoFaults(watched);
  });

  inBrowser('of rules of masking is not saved over those of somebody else unawares', async () => {
    const rule = { masker: 'email', fields: ['input'], replace: 'label', label: 'theirs', config: {} };
    const put = (label: string) =>
      fetch(`${program.apiUrl}/api/projects/local/masking`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ rules: label === '' ? [] : [{ ...rule, label }] }),
      });
    const section = page.getByRole('region', { name: 'Masking' });
    const label = section.getByLabel('Label', { exact: true });
    await open('/settings');
    await section.getByText('No rules').waitFor();
    await page.evaluate('{ const now = Date.now; let late = 0; Date.now = () => now() + (late += 60_000); }');
    const readAgain = () => page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await put('theirs');
    await readAgain();
    await expectSoon(() => label.inputValue(), 'theirs');
    await label.fill('mine');
    await put('others');
    await readAgain();
    await section.getByText('Somebody else changed these rules meanwhile; saving replaces theirs.').waitFor();
    expect(await label.inputValue()).toBe('mine');
    await section.getByRole('button', { name: 'Load theirs' }).click();
    await expectSoon(() => label.inputValue(), 'others');
    expect(await section.getByText('Somebody else').count()).toBe(0);
    // Others may also have deleted them all.
    await label.fill('mine');
    await put('');
    await readAgain();
    await section.getByText('Somebody else changed these rules meanwhile').waitFor();
    expect(await label.inputValue()).toBe('mine');
    await section.getByRole('button', { name: 'Load theirs' }).click();
    await section.getByText('No rules').waitFor();
    expectNoFaults(watched);
  });

  inBrowser('to filter a list stays while the address follows', async () => {
    await open('/traces');
    const field = page.getByRole('searchbox').first();
    await field.waitFor();
    const type = `Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'mani');
      field.dispatchEvent(new Event('input', { bubbles: true }))`;
    await atNextAddress(`const field = document.querySelector('input[type=search]'); ${type}`, 'field.value');
    await field.fill('man');
    await until(() => new URL(page.url()).search.includes('mani'));
    expect(await seen()).toEqual(['mani']);
    expectNoFaults(watched);
  });

  inBrowser('and sent last filters a list, whatever the address says late', async () => {
    await open('/spans');
    const field = page.getByRole('searchbox', { name: 'Search in texts' });
    await field.fill('foo');
    const draw = await holdPages('/spans');
    await field.press('Enter');
    await until(() => page.url().includes('foo'));
    await field.fill('');
    await until(() => !page.url().includes('foo'));
    await field.fill('bar');
    await field.press('Enter');
    await until(() => page.url().includes('bar'));
    await field.fill('');
    await field.press('Enter');
    await draw();
    await expectSoon(async () => [new URL(page.url()).search, await field.inputValue()], ['', '']);
    await field.fill('foo');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Remove filter: Text foo' }).click();
    await expectSoon(() => field.inputValue(), '');
    expectNoFaults(watched);
  });

  inBrowser('stays in a form whose choices cannot be read again', async () => {
    await open('/try/0123456789abcdef0123456789abcdef');
    await heading('Try a prompt');
    const text = page.getByLabel('Tools (JSON)');
    await text.fill('[]');
    let refused = 0;
    await page.route('**/api/provider-connections*', (route) => {
      refused++;
      return route.fulfill({ status: 500, json: {} });
    });
    // A request that was under way takes the place of one, so that it is asked until one fails.
    await until(async () => {
      await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
      return refused > 0;
    });
    expect(await settled(page, () => text.inputValue())).toBe('[]');
    expectNoFaultsBut(watched, /\b500\b/);
  });
});

describe('the span that somebody chose by keys', () => {
  onTrace();

  inBrowser('stays selected while the address follows', async () => {
    await open('/traces/many');
    const rows: Locator = page.getByRole('treegrid', { name: 'Spans of this trace' }).getByRole('row');
    await rows.nth(1).focus();
    await atNextAddress(
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }))`,
      `document.querySelector('[role=treegrid] [aria-selected=true]').getAttribute('aria-rowindex')`,
    );
    await page.keyboard.press('ArrowDown');
    await expectSoon(async () => (await page.evaluate<unknown[] | undefined>('globalThis.seen'))?.at(-1), '4');
    await until(async () => (await page.evaluate<unknown[]>('seen')).length > 30);
    expect(await seen()).toEqual(['4']);
    expectNoFaults(watched);
  });
});
