import { placeOf } from './address.ts';
import { Session } from './session.ts';

/** What a session has to do before it is used; it fails where the session cannot do it. */
export type Prepare = (session: Session) => Promise<void>;

/**
 * The hosts of one database, of which one takes new animals. The last one that did is tried first, the others in the order
 * in which they were given.
 */
export class Hosts {
  readonly #addresses: readonly string[];
  #preferred = 0;

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses;
  }

  /** Whether it is with the host that took new animals last. Who is elsewhere would read what is no longer true. */
  isCurrent(session: Session): boolean {
    return session.host === placeOf(this.#addresses[this.#preferred] ?? '');
  }

  /** A session with the first host that takes new animals and can be prepared, each within so many milliseconds. */
  async open(within: number, prepare: Prepare, onEnd: (session: Session) => void): Promise<Session> {
    const failures: string[] = [];
    let cause: unknown;
    const preferred = this.#preferred;
    for (let i = 0; i < this.#addresses.length; i++) {
      const at = (preferred + i) % this.#addresses.length;
      const address = this.#addresses[at] ?? '';
      try {
        const session = await this.#prepared(address, within, prepare, onEnd);
        this.#preferred = at;
        return session;
      } catch (error) {
        cause = error;
        failures.push(`${placeOf(address)}: ${error instanceof Error ? error.message || error.name : error}`);
      }
    }
    throw new Error(failures.join('; '), { cause });
  }

  async #prepared(address: string, within: number, prepare: Prepare, onEnd: (session: Session) => void) {
    const session = await Session.open(address, within, onEnd);
    try {
      await prepare(session);
      return session;
    } catch (error) {
      session.end();
      throw error;
    }
  }
}
