import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { listPreviewedTracesSchema, listSpansInViewSchema, timeSeriesSchema } from '@spandrel/contract';
import { UsageFault } from './exit-codes.js';
import { addParameterFlags, readParameters } from './parameter-flags.js';

const parsed = (schema: typeof listSpansInViewSchema | typeof timeSeriesSchema, ...argv: string[]) => {
  const command = new Command();
  addParameterFlags(command, schema as typeof listSpansInViewSchema);
  command.parse(argv, { from: 'user' });
  return readParameters(schema, command.opts());
};

describe('flags of parameters', () => {
  it('are as many as the API has, and say what the API says', () => {
    const command = new Command();
    addParameterFlags(command, listPreviewedTracesSchema);
    expect(command.options.map(({ long }) => long)).toEqual(
      Object.keys(listPreviewedTracesSchema.shape).map((name) => `--${name.replaceAll('_', '-')}`),
    );
    const help = command.helpInformation();
    expect(help).toContain('--duration-min <value>');
    expect(help).toMatch(/--status <running\|completed\|failed>/);
    expect(help).toContain('A literal substring of the name.');
  });

  it('give what was written by the names of the API, lists where a flag is repeated', () => {
    expect(
      parsed(listSpansInViewSchema, '--tag', 'a', '--tag', 'b', '--duration-min', '1.5', '--text-contains', '7'),
    ).toEqual({
      tag: ['a', 'b'],
      duration_min: '1.5',
      text_contains: '7',
    });
    expect(parsed(timeSeriesSchema, '--fill', '--top', '3', '--group-by', 'hour', '--model', '4')).toEqual({
      fill: true,
      top: 3,
      group_by: 'hour',
      model: '4',
    });
  });

  it('may be repeated where not every text is a value', () => {
    expect(parsed(listSpansInViewSchema, '--score', 'quality<0.5', '--score', 'helpful:yes')).toEqual({
      score: ['quality<0.5', 'helpful:yes'],
    });
    expect(() => parsed(listSpansInViewSchema, '--score', 'quality')).toThrow('--score: must be NAME<NUMBER');
  });

  it('gives values by key as the parameters that they are', () => {
    const flags = ['--metadata', 'environment=production', '--metadata', 'note=a=b'];
    expect(parsed(listSpansInViewSchema, ...flags)).toEqual({
      'metadata.environment': 'production',
      'metadata.note': 'a=b',
    });
    expect(() => parsed(listSpansInViewSchema, '--metadata', 'environment')).toThrow(
      '--metadata: "environment" is not KEY=VALUE',
    );
  });

  it('take a time, or how long ago it was', () => {
    const earliest = Date.now() - 86_400_000;
    const { since } = parsed(listSpansInViewSchema, '--since', '24h');
    expect(Date.parse(since as string)).toBeGreaterThanOrEqual(earliest);
    expect(Date.parse(since as string)).toBeLessThanOrEqual(Date.now() - 86_400_000);
    expect(parsed(listSpansInViewSchema, '--since', '2026-11-20')).toEqual({ since: '2026-11-20' });
  });

  it('refuse what the API would refuse, by their own names', () => {
    for (const [argv, fault] of [
      [['--limit', '0'], /^--limit: /],
      [['--sort-by', 'colour'], /^--sort-by: .*started_at/],
      [['--since', 'yesterday'], /^--since: must be ISO 8601, or so long ago: 30m, 24h, 7d$/],
      [['--cost-min', 'much'], /^--cost-min: must be a number$/],
    ] as const) {
      expect(() => parsed(listSpansInViewSchema, ...argv)).toThrow(UsageFault);
      expect(() => parsed(listSpansInViewSchema, ...argv)).toThrow(fault);
    }
  });
});
