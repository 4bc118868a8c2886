import { Body, Controller, Delete, Get, Patch, Post, Req, Res } from '@nestjs/common';
import {
  browserSessionSchema,
  sessionProjectsSchema,
  switchProjectSchema,
  type SwitchProject,
  createBrowserSessionSchema,
  signedOutSchema,
  type CreateBrowserSession,
} from '@spandrel/contract';
import { CredentialRefusals, CurrentCaller, Operation, type Caller } from '@spandrel/http';
import { DomainError } from '@spandrel/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessSettings } from '../access.settings.js';
import { SessionProjects } from '../people/session-projects.js';
import { isOwnPage, pageFromElsewhere, SessionCookie } from './session-cookie.js';
import { SignIn, type SignedIn, SignOut } from './sign-in.js';

/** `/api/session`: signing a browser in and out, and the projects that it can be taken to (docs/spec/sign-in.md). */
@Controller('api/session')
export class BrowserSessionController {
  private readonly cookie: SessionCookie;

  constructor(
    private readonly signIn: SignIn,
    private readonly signOut: SignOut,
    private readonly sessions: SessionProjects,
    private readonly settings: AccessSettings,
    private readonly refusals: CredentialRefusals,
  ) {
    this.cookie = new SessionCookie(settings.insecureCookie);
  }

  @Post()
  @Operation({
    access: 'open',
    summary: 'Sign a browser in',
    description: "Sets the cookie of the dashboard's pages. Programs send their credential with each request instead.",
    audited: ['session.created', 'session.deleted'],
    answer: browserSessionSchema,
    problems: ['unauthenticated', 'insufficient_scope', 'too_many_wrong_credentials'],
  })
  async createBrowserSession(
    @Body({ schema: createBrowserSessionSchema }) { credential }: CreateBrowserSession,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const replaced = this.cookie.read(request.headers.cookie);
    const isOwn = isOwnPage(request.headers, this.settings.dashboardOrigin);
    if (isOwn === false || (replaced !== undefined && !isOwn)) throw pageFromElsewhere();
    const { caller, token, lastsMs } = await this.signedIn(credential.trim(), replaced, request, reply);
    void reply.header('set-cookie', this.cookie.set(token, lastsMs));
    return this.sessions.describe(caller);
  }

  @Get()
  @Operation({
    access: 'anyone',
    summary: 'Who is signed in in this browser',
    description: 'Costs no request of the organization. A header that is no valid credential is 401.',
    answer: browserSessionSchema,
    problems: ['unauthenticated', 'insufficient_scope', 'too_many_wrong_credentials'],
  })
  getBrowserSession(@CurrentCaller() caller: Caller | undefined) {
    return this.sessions.describe(caller);
  }

  @Delete()
  @Operation({
    access: 'caller',
    uncounted: true,
    summary: 'Sign this browser out',
    description: 'Within a second no instance takes the cookie any more, and event streams opened with it end.',
    audited: ['session.deleted'],
    answer: signedOutSchema,
    problems: ['session_not_found'],
  })
  async deleteBrowserSession(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const continueAt = await this.signOut.addressThere(caller, this.cookie.read(request.headers.cookie));
    const deleted = await this.signOut.execute(caller);
    void reply.header('set-cookie', this.cookie.clear());
    return { ...deleted, continue_at: continueAt };
  }

  @Patch()
  @Operation({
    access: 'caller',
    uncounted: true,
    summary: 'Take this browser to another project',
    description: 'For a person with roles in several projects. The cookie is a new one.',
    audited: ['session.updated'],
    answer: browserSessionSchema,
    problems: ['project_not_found'],
  })
  async switchProject(
    @CurrentCaller() caller: Caller,
    @Body({ schema: switchProjectSchema }) { project_id: projectId }: SwitchProject,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const cookie = this.cookie.read(request.headers.cookie);
    const { caller: switched, token, lastsMs } = await this.sessions.switch(caller, cookie, projectId);
    void reply.header('set-cookie', this.cookie.set(token, lastsMs));
    return this.sessions.describe(switched);
  }

  @Get('projects')
  @Operation({
    access: 'caller',
    uncounted: true,
    summary: 'Projects that this browser can be taken to',
    answer: sessionProjectsSchema,
  })
  async listSessionProjects(@CurrentCaller() caller: Caller) {
    const projects = await this.sessions.list(caller);
    return { projects, count: projects.length };
  }

  /** Signs in; 401 says how credentials are sent (RFC 9110, 11.6.1). */
  private async signedIn(
    credential: string,
    replaced: string | undefined,
    { raw }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<SignedIn> {
    try {
      return await this.signIn.execute(credential, replaced);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const refusal = this.refusals.of(error, raw);
      if (refusal.code === 'unauthenticated') void reply.header('www-authenticate', 'Bearer');
      throw refusal;
    }
  }
}
