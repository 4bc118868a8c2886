import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** The calls of Qdrant's HTTP API that the plugin makes; a body of another shape is refused, as Qdrant does. */
const sparse = z
  .strictObject({ indices: z.array(z.int().min(0).max(0xffff_ffff)), values: z.array(z.number()) })
  .refine(({ indices, values }) => indices.length === values.length && new Set(indices).size === indices.length);
const condition = z.union([
  z.strictObject({
    key: z.string(),
    match: z.union([z.strictObject({ value: z.string() }), z.strictObject({ any: z.array(z.string()).min(1) })]),
  }),
  z.strictObject({
    key: z.string(),
    range: z.strictObject({ gte: z.number().optional(), lt: z.number().optional() }),
  }),
]);
const filter = z.strictObject({ must: z.array(condition).min(1) });
const collectionBody = z.strictObject({
  vectors: z.record(z.string(), z.strictObject({ size: z.int().min(1), distance: z.literal('Cosine') })),
  sparse_vectors: z.record(z.string(), z.strictObject({ modifier: z.literal('idf') })),
  hnsw_config: z.strictObject({ m: z.int(), payload_m: z.int() }),
});
const indexBody = z.strictObject({
  field_name: z.string(),
  field_schema: z.union([
    z.enum(['keyword', 'integer']),
    z.strictObject({ type: z.literal('keyword'), is_tenant: z.boolean() }),
  ]),
});
const pointBody = z.strictObject({
  id: z.uuid(),
  vector: z.record(z.string(), z.union([z.array(z.number()), sparse])),
  payload: z.record(z.string(), z.unknown()),
});
const upsertBody = z.strictObject({ points: z.array(pointBody).min(1) });
const deleteBody = z.union([z.strictObject({ points: z.array(z.uuid()).min(1) }), z.strictObject({ filter })]);
const scrollBody = z.strictObject({
  filter,
  limit: z.int().min(1),
  with_payload: z.literal(false),
  with_vector: z.literal(false),
});
const queryBody = z.strictObject({
  query: z.union([z.array(z.number()), sparse]),
  using: z.string(),
  filter,
  limit: z.int().min(1),
  with_payload: z.array(z.string()),
});

type Sparse = z.output<typeof sparse>;
type Filter = z.output<typeof filter>;
type FakePoint = z.output<typeof pointBody>;
interface Collection {
  body: z.output<typeof collectionBody>;
  points: Map<string, FakePoint>;
  indexed: Set<string>;
}

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface FakeQdrant {
  url: string;
  /** Answers every call with this status, where there is one. */
  failWith: number | undefined;
  /** `PUT /collections/…`, as they came. */
  calls: string[];
  collections: Map<string, Collection>;
  close(): Promise<void>;
}

/** A server on loopback that speaks the part of Qdrant's HTTP API that the plugin uses, and searches by brute force. */
export async function startFakeQdrant(apiKey: string): Promise<FakeQdrant> {
  const collections: FakeQdrant['collections'] = new Map();
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    read(request)
      .then((body) => {
        const call = `${request.method} ${request.url}`;
        fake.calls.push(call);
        if (request.headers['api-key'] !== apiKey) throw new Refused(401, 'Must provide an API key');
        if (fake.failWith !== undefined) throw new Refused(fake.failWith, 'out of order');
        answer(200, { result: route(collections, call, body), status: 'ok', time: 0.001 });
      })
      .catch((error: unknown) => {
        const status = error instanceof Refused ? error.status : 400;
        answer(status, { status: { error: String(error) }, time: 0 });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeQdrant = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failWith: undefined,
    calls: [],
    collections,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
  return fake;
}

async function read(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown);
}

function route(collections: FakeQdrant['collections'], call: string, body: unknown): unknown {
  const [, method, name, rest = ''] = /^(\w+) \/collections\/([\w-]+)(.*)$/s.exec(call) ?? [];
  if (name === undefined) throw new Refused(404, 'Not found');
  const collection = collections.get(name);
  if (method === 'PUT' && rest === '') {
    if (collection) throw new Refused(409, `Collection \`${name}\` already exists!`);
    collections.set(name, { body: collectionBody.parse(body), points: new Map(), indexed: new Set() });
    return true;
  }
  if (!collection) throw new Refused(404, `Not found: Collection \`${name}\` doesn't exist!`);
  switch (`${method} ${rest}`) {
    case 'GET ':
      return { status: 'green', config: { params: { vectors: collection.body.vectors } } };
    case 'PUT /index?wait=true':
      collection.indexed.add(indexBody.parse(body).field_name);
      return { operation_id: 0, status: 'completed' };
    case 'PUT /points?wait=true':
      for (const point of upsertBody.parse(body).points) upsert(collection, point);
      return { operation_id: 0, status: 'completed' };
    case 'POST /points/delete?wait=true': {
      const what = deleteBody.parse(body);
      const ids = 'points' in what ? what.points : matching(collection, what.filter).map(({ id }) => id);
      for (const id of ids) collection.points.delete(id);
      return { operation_id: 0, status: 'completed' };
    }
    case 'POST /points/scroll': {
      const { filter: wanted, limit } = scrollBody.parse(body);
      const points = matching(collection, wanted).map(({ id }) => ({ id }));
      return { points: points.slice(0, limit), next_page_offset: points[limit]?.id ?? null };
    }
    case 'POST /points/query':
      return { points: best(collection, queryBody.parse(body)) };
    default:
      throw new Refused(404, 'Not found');
  }
}

function upsert({ body, points }: Collection, point: FakePoint): void {
  for (const [name, vector] of Object.entries(point.vector)) {
    const size = body.vectors[name]?.size;
    if (Array.isArray(vector) ? vector.length !== size : !(name in body.sparse_vectors)) {
      throw new Refused(400, `Wrong input: Vector dimension error: expected dim: ${size}, ${name}`);
    }
  }
  points.set(point.id, point);
}

function matching({ points, indexed }: Collection, { must }: Filter): FakePoint[] {
  for (const { key } of must)
    if (!indexed.has(key)) throw new Refused(400, `Index required but not found for "${key}"`);
  return [...points.values()].filter(({ payload }) =>
    must.every((wanted) => {
      const value = payload[wanted.key];
      if ('match' in wanted) {
        const any: unknown[] = 'any' in wanted.match ? wanted.match.any : [wanted.match.value];
        return [value].flat().some((one) => any.includes(one));
      }
      const { gte = -Infinity, lt = Infinity } = wanted.range;
      return typeof value === 'number' && value >= gte && value < lt;
    }),
  );
}

function best(
  collection: Collection,
  { query, using, filter: wanted, limit, with_payload: members }: z.output<typeof queryBody>,
) {
  const scored = matching(collection, wanted).flatMap((point) => {
    const vector = point.vector[using];
    if (vector === undefined) return [];
    const score = Array.isArray(vector)
      ? cosine(vector, query as number[])
      : weighted(collection, using, vector, query as Sparse);
    return score === undefined ? [] : [{ point, score }];
  });
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ point, score }) => ({
      id: point.id,
      version: 1,
      score,
      payload: Object.fromEntries(members.map((member) => [member, point.payload[member]])),
    }));
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0);

function cosine(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) throw new Refused(400, 'Wrong input: Vector dimension error');
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** The sum over the words in common, each by how rare it is in the whole collection; none in common: no hit. */
function weighted({ points }: Collection, using: string, vector: Sparse, query: Sparse): number | undefined {
  const common = query.indices.filter((index) => vector.indices.includes(index));
  if (common.length === 0) return undefined;
  const having = (index: number): number =>
    [...points.values()].filter((point) => (point.vector[using] as Sparse).indices.includes(index)).length;
  return common.reduce((sum, index) => {
    const count = having(index);
    const rarity = Math.log(1 + (points.size - count + 0.5) / (count + 0.5));
    return sum + rarity * vector.values[vector.indices.indexOf(index)]! * query.values[query.indices.indexOf(index)]!;
  }, 0);
}
