import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Administration } from '@spandrel/access';
import type { ChainHead, CheckedChain } from '@spandrel/audit';
import { auditFilterSchema, listAuditSchema } from '@spandrel/contract';
import { pathFault, StartError } from '@spandrel/kernel';
import { z } from 'zod';
import { auditLine, chainLines } from './admin-lines.js';
import { checked, type AdminInput, type Outcome } from './admin-outcome.js';

/** What the commands below `admin audit` do. */
export const AUDIT_ACTIONS = {
  listAudit: async ({ audit }: Administration, { options }: AdminInput): Promise<Outcome> => {
    const query = checked(listAuditSchema, { ...filterOf(options), limit: options['limit'] });
    const { items } = await audit.log.list(orgOf(options), query);
    return { json: items, lines: items.map(auditLine) };
  },
  exportAudit: async ({ audit }: Administration, { options }: AdminInput): Promise<Outcome> => {
    const content = await audit.exports.execute(orgOf(options), checked(auditFilterSchema, filterOf(options)));
    for await (const lines of content) if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    return { lines: [] };
  },
  listAuditHeads: async ({ audit }: Administration): Promise<Outcome> => {
    const heads = await audit.chains.heads();
    return { json: heads, lines: heads.map((head) => JSON.stringify(head)) };
  },
  verifyAudit: async ({ audit }: Administration, { options }: AdminInput): Promise<Outcome> => {
    const { chain, heads } = options;
    const noted = heads === undefined ? [] : readHeads(String(heads));
    const all: CheckedChain[] = [];
    for await (const one of audit.verify.execute(chain === undefined ? undefined : String(chain), noted)) all.push(one);
    if (chain !== undefined && all.length === 0) throw new StartError([`--chain: there is no chain ${String(chain)}`]);
    const lines = all.flatMap(chainLines);
    return {
      json: all,
      lines: lines.length === 0 ? ['The audit log is empty.'] : lines,
      isRefused: all.some(({ faults }) => faults.length > 0),
    };
  },
};

type Options = AdminInput['options'];

const orgOf = ({ org }: Options): string | null => (org === undefined ? null : String(org));

const filterOf = ({ actor, action, target, since, until }: Options) => ({
  ...{ actor, target, since, until },
  action: action === undefined ? undefined : String(action).split(','),
});

const headSchema = z.object({ chain: z.string(), seq: z.number().int().min(1), hash: z.string() });

/** Heads as `admin audit heads` prints them, one a line. @throws StartError naming the line that is none. */
function readHeads(path: string): ChainHead[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartError([`--heads: ${pathFault(path, error).message}`]);
  }
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const head = headSchema.safeParse(jsonOf(line));
    if (head.success) return head.data;
    throw new StartError([`--heads: line ${index + 1} of ${path} is no head: admin audit heads prints them`]);
  });
}

/** @returns `undefined` for what is no JSON. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
