import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { OpenApi } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { TrafficCheck } from './traffic-check.ts';

/** Names the project whose data a request is about, where no authentication does. */
const PROJECT_HEADER = 'x-test-project';

/** Scope of a test's project. */
export const scopeOfProject = (projectId: string): Scope => ({ orgId: 'org', projectId });

/** Lets the header `x-test-project` put a request into another project than local mode's. */
export function takeProjectFromHeader(app: NestFastifyApplication): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, _reply, done) => {
      const project = request.headers[PROJECT_HEADER];
      if (typeof project === 'string') Object.assign(request, { scope: scopeOfProject(project) });
      done();
    });
}

export interface InProcessCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  /** An object, or the text of one; no body and no media type when left out. */
  body?: unknown;
  /** Local mode's when left out. */
  project?: string | undefined;
}

const checks = new WeakMap<NestFastifyApplication, TrafficCheck>();

function checkOf(app: NestFastifyApplication): TrafficCheck {
  let check = checks.get(app);
  if (!check) checks.set(app, (check = TrafficCheck.of(app.get(OpenApi).json.toString())));
  return check;
}

/**
 * Calls an app that does not listen, as over HTTP; what it answers must be as its OpenAPI document says.
 * @returns the body as it was sent, and parsed.
 */
export async function callInProcess<Body>(
  app: NestFastifyApplication,
  { method, url, body, project }: InProcessCall,
): Promise<{ status: number; text: string; body: Body }> {
  const answer = await app.inject({
    method,
    url,
    headers: {
      host: 'localhost',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(project !== undefined && { [PROJECT_HEADER]: project }),
    },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  checkOf(app).check({
    method,
    path: url,
    requestBody: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
    status: answer.statusCode,
    headers: { get: (name) => (answer.headers[name] as string | undefined) ?? null },
    text: answer.body,
  });
  return { status: answer.statusCode, text: answer.body, body: JSON.parse(answer.body) as Body };
}
