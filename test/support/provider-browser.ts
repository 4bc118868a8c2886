/** A browser without pages: follows an identity provider's redirects and fills its form in. */

/** Where somebody arrived at the service, and what they brought. */
export interface Arrival {
  /** Path and query of the last address of the service that led on, and where to. */
  status: number;
  location: string;
  setCookies: string[];
}

/** Cookies by host, as far as tests need them. */
export class ProviderBrowser {
  private readonly cookies = new Map<string, string>();

  /**
   * @param app the address that the service listens at.
   * @param origin what it believes its address to be.
   */
  constructor(
    private readonly app: string,
    private readonly origin: string,
  ) {}

  /** Cookies of the service, for requests of a test. */
  get cookie(): string {
    return this.header(this.app);
  }

  /** Begins to sign in. @returns the address of the provider that it leads to. */
  async begin(next = '/'): Promise<string> {
    return (await this.ask(`${this.app}/api/session/oidc?next=${encodeURIComponent(next)}`)).location;
  }

  /** Begins to sign in and goes as far as the provider's answer. @returns the address that it leads back to. */
  async goToProvider(login: string, next = '/'): Promise<string> {
    let address = await this.begin(next);
    for (let step = 0; step < 12; step++) {
      if (address.startsWith(this.origin)) return address;
      const answer = await this.ask(address);
      address = answer.location || (await this.fill(address, login));
    }
    throw new Error(`the provider leads nowhere: ${address}`);
  }

  /** Comes back from the provider. @param address as {@link goToProvider} returned it. */
  comeBack(address: string): Promise<Arrival> {
    return this.ask(address.replace(this.origin, this.app));
  }

  async signIn(login: string, next?: string): Promise<Arrival> {
    return this.comeBack(await this.goToProvider(login, next));
  }

  private async fill(form: string, login: string): Promise<string> {
    const body = new URLSearchParams({ prompt: 'login', login, password: 'any' });
    return (await this.ask(form, { method: 'POST', body })).location;
  }

  private async ask(address: string, init: RequestInit = {}): Promise<Arrival> {
    const { origin } = new URL(address);
    const response = await fetch(address, {
      ...init,
      redirect: 'manual',
      headers: { cookie: this.header(origin), 'sec-fetch-site': 'same-origin' },
    });
    await response.text();
    const setCookies = response.headers.getSetCookie();
    for (const cookie of setCookies) this.keep(origin, cookie);
    const location = response.headers.get('location') ?? '';
    return {
      status: response.status,
      location: location === '' || address.startsWith(this.app) ? location : new URL(location, address).href,
      setCookies,
    };
  }

  private keep(origin: string, cookie: string): void {
    const [pair] = cookie.split(';');
    const [name, value] = pair!.split(/=(.*)/s);
    const isGone = /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie);
    if (isGone) this.cookies.delete(`${origin} ${name}`);
    else this.cookies.set(`${origin} ${name}`, value!);
  }

  private header(origin: string): string {
    return [...this.cookies]
      .filter(([key]) => key.startsWith(`${origin} `))
      .map(([key, value]) => `${key.slice(origin.length + 1)}=${value}`)
      .join('; ');
  }
}
