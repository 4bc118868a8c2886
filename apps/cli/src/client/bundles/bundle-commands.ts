import type { ImportBundleResult } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import type { ClientCall, ClientProgram } from '../client-command.js';
import { clientCommand } from '../client-command.js';
import { openContent, saveFile } from '../datasets/import-export.js';
import { countText } from '../output/units.js';
import { readAnswer, readServer } from '../server.js';

interface BundleOptions {
  output: string;
  mask?: boolean;
}

/** `spandrel bundle`: traces as one HTML file that opens without a server. */
export function addBundle(client: ClientProgram, description: string): void {
  const command = client.program
    .command('bundle')
    .description(description)
    .argument('<traces...>', 'ids of traces')
    .requiredOption('-o, --output <file>', 'the file')
    .option('--mask', "mask all texts by the project's rules");
  clientCommand<BundleOptions, [string[]]>(client, command, bundleTraces);
}

async function bundleTraces(
  { api, out, io, options: { output, mask } }: ClientCall<BundleOptions>,
  [id, ...others]: string[],
): Promise<void> {
  const query = { ...(mask && { mask: true }), ...(others.length > 0 && { with: others }) };
  const { body } = await api.raw('GET', `/api/traces/${encodeURIComponent(id!)}/bundle`, { query });
  await saveFile(body!, output, io.signal);
  const count = new Set([id, ...others]).size;
  const sentence = `${formatCounted(count, 'trace')} to ${output}; it opens in any browser`;
  await out.wrote({ file: output, traces: count }, sentence);
}

/** `spandrel open`: takes the traces of such a file into a server. */
export function addOpen(client: ClientProgram, description: string): void {
  const command = client.program
    .command('open')
    .description(description)
    .argument('<file>', 'the HTML file; - for standard input');
  clientCommand<object, [string]>(client, command, openBundle);
}

/** The answer comes when all of the file has arrived and is imported. */
const ARRIVAL_MS_MAX = 3_600_000;

async function openBundle({ api, out, io, options }: ClientCall<object>, file: string): Promise<void> {
  const answer = await api.raw('POST', '/api/import/bundle', {
    headers: { 'content-type': 'text/html' },
    body: await openContent(file, io.stdin),
    timeoutMs: ARRIVAL_MS_MAX,
  });
  const result = await readAnswer<ImportBundleResult>(answer);
  if (out.json) return out.document(result);
  const { imported, rejected, rejected_count: left, trace_ids: ids } = result;
  const [traces, spans] = [formatCounted(imported.traces, 'trace'), formatCounted(imported.spans, 'span')];
  await out.lines([
    `imported ${traces} with ${spans} and ${formatCounted(imported.scores, 'score')}, tagged "imported"`,
    ...(left > 0 ? [`left out ${countText(left)}:`] : []),
    ...rejected.slice(0, 20).map(({ collection, index, message }) => `  ${collection} ${index}: ${message}`),
    ...ids.map((id) => `${readServer(options, io.env).url}/traces/${encodeURIComponent(id)}`),
  ]);
}
