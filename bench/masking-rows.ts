import { importSource } from './libs.ts';

const { Masking } = (await importSource('libs/masking/src/engine.ts')) as typeof import('@spandrel/masking/engine');
const { loadPlugins } = (await importSource(
  'libs/kernel/src/plugins/load-plugins.ts',
)) as typeof import('../libs/kernel/src/plugins/load-plugins.ts');
const { createLogger } = (await importSource(
  'libs/kernel/src/log/logger.ts',
)) as typeof import('../libs/kernel/src/log/logger.ts');

const MASKERS = ['email', 'phone', 'card', 'iban', 'ip', 'secret'];
const FIELD = 'input' as const;
const TURNS = 9;
const TEXTS_A_TURN = 4_000;

const filled = (line: string): string => line.repeat(Math.ceil(1024 / line.length)).slice(0, 1024);

/** Texts of a KB each. */
const TEXTS = {
  prose: filled(
    'When the shipment arrived on Monday, the customer asked whether order 48213 could be returned; the agent said: "yes, within 30 days". It costs 12.50 per item, re-stocking included. ',
  ),
  code: filled(
    'export function sumOf(items: readonly Item[]): number {\n  return items.reduce((sum, { price, count }) => sum + price * count, 0);\n}\n',
  ),
  log: filled(
    '2026-11-23T03:01:21.123Z INFO [worker-7] request id=0193af2e-7c11-7a4b-9d3e-1f2a3b4c5d6e took 12.3ms status=200 bytes=18231 path=/api/v1/orders/88213?page=2\n',
  ),
  'with six values': `Please write to jane.doe@example.com or call +49 30 901820, card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00, host 192.168.10.21, key ${'sk-'}proj-abc123def456ghi789. ${filled('The rest is what people write when they ask for something and explain it at length. ').slice(200)}`,
};

/** CPU of this thread for masking a KB of each text with all built-in maskers, in microseconds: medians of turns. */
export async function measureMasking(): Promise<Record<keyof typeof TEXTS, number>> {
  const entries = MASKERS.map((use) => ({ use, config: {} }));
  const { maskers } = await loadPlugins(entries, createLogger('silent', 'bench'));
  const rules = MASKERS.map((masker) => ({
    ...{ masker, label: masker, fields: [FIELD], replace: 'label' as const, config: {} },
  }));
  const onFailure = (masker: string): void => {
    throw new Error(`${masker} failed`);
  };
  const masking = new Masking(rules, maskers, { hashes: null, onFailure });
  const figures = Object.entries(TEXTS).map(([name, text]) => {
    const turns = Array.from({ length: TURNS }, () => {
      const before = process.threadCpuUsage();
      for (let n = 0; n < TEXTS_A_TURN; n++) masking.text(text, FIELD);
      const { user, system } = process.threadCpuUsage(before);
      return ((user + system) / TEXTS_A_TURN / text.length) * 1024;
    });
    return [name, turns.toSorted((a, b) => a - b)[TURNS >> 1]!];
  });
  return Object.fromEntries(figures) as Record<keyof typeof TEXTS, number>;
}
