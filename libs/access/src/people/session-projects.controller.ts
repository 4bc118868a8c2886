import { Body, Controller, Get, Patch, Req, Res } from '@nestjs/common';
import {
  browserSessionSchema,
  sessionProjectsSchema,
  switchProjectSchema,
  type BrowserSessionResource,
  type SessionProjects as SessionProjectsAnswer,
  type SwitchProject,
} from '@spandrel/contract';
import { CurrentCaller, Operation, type Caller } from '@spandrel/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessSettings } from '../access.settings.js';
import { DescribeSession, SessionProjects } from './session-projects.js';
import { SessionCookie } from '../browser-sessions/session-cookie.js';

/** The projects of `/api/session` (docs/spec/sign-in.md#projects-of-a-person). */
@Controller('api/session')
export class SessionProjectsController {
  private readonly cookie: SessionCookie;

  constructor(
    private readonly sessionProjects: SessionProjects,
    private readonly describe: DescribeSession,
    { insecureCookie }: AccessSettings,
  ) {
    this.cookie = new SessionCookie(insecureCookie);
  }

  @Patch()
  @Operation({
    id: 'switchProject',
    access: 'caller',
    uncounted: true,
    summary: 'Take this browser to another project',
    description: 'For a person with roles in several projects. The cookie is a new one.',
    audited: ['session.updated'],
    answer: browserSessionSchema,
    problems: ['project_not_found'],
  })
  async switch(
    @CurrentCaller() caller: Caller,
    @Body({ schema: switchProjectSchema }) { project_id: projectId }: SwitchProject,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BrowserSessionResource> {
    const cookie = this.cookie.read(request.headers.cookie);
    const { caller: switched, token, lastsMs } = await this.sessionProjects.switch(caller, cookie, projectId);
    void reply.header('set-cookie', this.cookie.set(token, lastsMs));
    return this.describe.execute(switched);
  }

  @Get('projects')
  @Operation({
    id: 'listSessionProjects',
    access: 'caller',
    uncounted: true,
    summary: 'Projects that this browser can be taken to',
    answer: sessionProjectsSchema,
  })
  async projects(@CurrentCaller() caller: Caller): Promise<SessionProjectsAnswer> {
    const projects = await this.sessionProjects.list(caller);
    return { projects, count: projects.length };
  }
}
