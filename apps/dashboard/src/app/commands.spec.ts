import { describe, expect, it, jest } from '@jest/globals';
import { readPreferences } from '../components/preferences/preferences.js';
import { commandsFor, type CommandSources } from './commands.js';
import { withVisit, type Visit } from './use-visits.js';

const sources = (text: string): CommandSources => ({
  text,
  shortcuts: [
    { keys: 'g t', label: 'Go to Traces', group: 'Pages', run: jest.fn() },
    { keys: 'j', label: 'Next row', group: 'Lists', run: jest.fn() },
    { keys: 'ArrowDown', label: 'Next row', group: 'Lists', run: jest.fn() },
  ],
  visits: [{ address: '/traces/1', title: 'checkout' }],
  preferences: readPreferences(null),
  open: jest.fn(),
  openId: jest.fn(),
  prefer: jest.fn(),
});
const labels = (text: string): string[] => commandsFor(sources(text)).map(({ label }) => label);

describe('commands', () => {
  it('are all there before something is typed, each once', () => {
    expect(labels('')).toEqual([
      ...['Go to Traces', 'Next row', 'checkout', 'Theme: Light', 'Theme: Dark', 'Density: Comfortable'],
      ...['Times: UTC', 'Single-key shortcuts: Off'],
    ]);
  });

  it('are found by their words in any order', () => {
    expect(labels('traces GO')).toEqual(['Go to Traces']);
    expect(labels('nothing like it')).toEqual([]);
  });

  it('open what looks like an id', () => {
    const given = sources(' 01JD9Z.a:b-c ');
    const [command] = commandsFor(given);
    expect(command!.label).toBe('Open the trace, span, dataset or run 01JD9Z.a:b-c');
    command!.run();
    expect(given.openId).toHaveBeenCalledWith('01JD9Z.a:b-c');
  });

  it('lead to what is called so before they take it for an id', () => {
    const found = [{ group: 'Datasets', label: 'Refunds', address: '/datasets/d' }];
    const given = { ...sources('refunds'), found };
    const commands = commandsFor(given);
    expect(commands.map(({ label }) => label)).toEqual(['Refunds', 'Open the trace, span, dataset or run refunds']);
    commands[0]!.run();
    expect(given.open).toHaveBeenCalledWith('/datasets/d');
  });

  it('change a preference', () => {
    const given = sources('theme dark');
    commandsFor(given)[0]!.run();
    expect(given.prefer).toHaveBeenCalledWith({ theme: 'dark' });
  });
});

describe('visits', () => {
  it('keep the newest eight, each page once', () => {
    const visit = (page: number): Visit => ({ address: `/${page}?${'x'.repeat(page)}`, title: String(page) });
    const visits = [1, 2, 3, 4, 5, 6, 7, 8, 9, 3].reduce<readonly Visit[]>(
      (all, page) => withVisit(all, visit(page)),
      [],
    );
    expect(visits.map(({ title }) => title)).toEqual(['3', '9', '8', '7', '6', '5', '4', '2']);
  });
});
