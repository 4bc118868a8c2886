/** Fastify with the span schema of `libs/contract`, storing nothing. */
import Fastify from 'fastify';
import { contract } from '../libs.ts';

const app = Fastify();
app.post('/api/spans', (request, reply) => {
  const { trace_id } = contract.createSpanSchema.parse(request.body);
  void reply.code(201).send({ id: '01JBENCH000000000000000000', trace_id });
});
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
