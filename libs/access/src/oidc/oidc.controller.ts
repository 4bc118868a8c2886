import { Controller, Get, HttpCode, Inject, Query, Req, Res } from '@nestjs/common';
import { beginSignInSchema, endSignInSchema, type BeginSignIn, type SignInError } from '@spandrel/contract';
import { Operation } from '@spandrel/http';
import { LOGGER, Unavailable, type Logger } from '@spandrel/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizationResponseError } from 'openid-client';
import { AccessSettings } from '../access.settings.js';
import { SessionCookie } from '../browser-sessions/session-cookie.js';
import { digestOf } from '../credentials/api-keys.js';
import { SignInPerson } from '../people/sign-in-person.js';
import { IdentityProvider } from './identity-provider.js';
import { AttemptCookie, newAttempt, ownPath, type SignInAttempt } from './sign-in-attempt.js';

const REDIRECT = { mediaTypes: ['text/plain'], description: 'Nothing: `Location` says where the browser goes.' };

/** `/api/session/oidc`: signing in with an identity provider; browsers go there (docs/spec/sign-in.md#an-identity-provider). */
@Controller('api/session/oidc')
export class OidcController {
  private readonly attempts: AttemptCookie;
  private readonly sessions: SessionCookie;

  constructor(
    private readonly provider: IdentityProvider,
    private readonly signInPerson: SignInPerson,
    { insecureCookie }: AccessSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.attempts = new AttemptCookie(insecureCookie);
    this.sessions = new SessionCookie(insecureCookie);
  }

  @Get()
  @HttpCode(302)
  @Operation({
    access: 'open',
    summary: 'Lead a browser to the identity provider',
    description: 'What cannot be done leads to the page to sign in, which says why.',
    answer: REDIRECT,
  })
  async beginSignIn(
    @Query({ schema: beginSignInSchema }) { next }: BeginSignIn,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const cookie = this.sessions.read(request.headers.cookie);
    const attempt = newAttempt(ownPath(next), cookie === undefined ? null : digestOf(cookie));
    if (!this.provider.isSet) return this.refuse(reply, 'not_set_up', attempt.next);
    try {
      const address = await this.provider.addressFor(attempt);
      this.lead(reply.header('set-cookie', this.attempts.set(attempt)), address);
    } catch (error) {
      this.refuse(reply, this.reasonOf(error), attempt.next);
    }
  }

  @Get('callback')
  @HttpCode(302)
  @Operation({
    access: 'open',
    anyQuery: true,
    audited: ['session.created', 'session.deleted', 'session.refused', 'member.created', 'member.deleted'],
    summary: 'Sign a browser in that comes back from the identity provider',
    description:
      'Leads to where the browser wanted to go, with the cookie of a session; else to the page to sign in, which says why.',
    answer: REDIRECT,
  })
  async endSignIn(
    @Query({ schema: endSignInSchema }) _query: object,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const attempt = this.attempts.read(request.headers.cookie);
    void reply.header('set-cookie', this.attempts.clear());
    if (!this.provider.isSet) return this.refuse(reply, 'not_set_up', '/');
    if (!attempt) return this.refuse(reply, 'expired', '/');
    try {
      await this.finish(request, reply, attempt);
    } catch (error) {
      this.refuse(reply, this.reasonOf(error), ownPath(attempt.next));
    }
  }

  private async finish(request: FastifyRequest, reply: FastifyReply, attempt: SignInAttempt): Promise<void> {
    const { search } = new URL(request.url, 'http://own.invalid');
    const confirmed = await this.provider.confirmed(search, attempt);
    const signedIn = await this.signInPerson.execute(confirmed, attempt.replaces);
    const next = ownPath(attempt.next);
    if (!signedIn) {
      const { issuer, subject } = confirmed.identity;
      this.logger.warn({ issuer, subject }, 'somebody who has no role was not signed in');
      return this.refuse(reply, 'no_role', next);
    }
    const cookies = [this.attempts.clear(), this.sessions.set(signedIn.token, signedIn.lastsMs)];
    this.lead(reply.removeHeader('set-cookie').header('set-cookie', cookies), next);
  }

  /** Why somebody could not be signed in; what it was in detail is in the log. */
  private reasonOf(error: unknown): SignInError {
    this.logger.warn({ err: error }, 'somebody could not be signed in by the identity provider');
    if (error instanceof Unavailable) return 'unavailable';
    return error instanceof AuthorizationResponseError && error.error === 'access_denied' ? 'denied' : 'failed';
  }

  private refuse(reply: FastifyReply, error: SignInError, next: string): void {
    this.lead(reply, `/sign-in?${new URLSearchParams({ error, next }).toString()}`);
  }

  private lead(reply: FastifyReply, address: string): void {
    void reply.status(302).header('cache-control', 'no-store').header('location', address).type('text/plain').send('');
  }
}
