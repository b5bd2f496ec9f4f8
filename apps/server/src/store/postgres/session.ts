import { Client, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import { placeOf } from './address.ts';
import { DatabaseSilentError, ReadOnlyHostError, WarnedCommitError } from './errors.ts';

export type Row = unknown[];

/** The code of warnings that stand beside a success; the one about synchronous replication has no code of its own. */
const warning = '01000';

/** One connection to a host that takes new animals. Whatever is asked is answered, or fails, in a bounded time. */
export class Session {
  readonly host: string;
  readonly #client: Client;
  #ended = false;
  #warned: string | undefined;

  private constructor(address: string, client: Client, onEnd: (session: Session) => void) {
    this.host = placeOf(address);
    this.#client = client;
    client.on('error', () => this.end());
    client.on('end', () => {
      this.#ended = true;
      onEnd(this);
    });
    client.on('notice', ({ code, message }) => {
      if (code === warning) this.#warned = message;
    });
  }

  static async open(address: string, within: number, onEnd: (session: Session) => void): Promise<Session> {
    const client = new Client({
      connectionString: address,
      connectionTimeoutMillis: within,
      application_name: 'petstore-server',
      keepAlive: true,
    });
    const session = new Session(address, client, onEnd);
    try {
      await session.#within(within, client.connect());
      // A role may be set to hear errors alone: the warning beside a success would not be heard.
      await session.ask({ text: 'SET client_min_messages = warning', rowMode: 'array' }, within);
      const { rows } = await session.ask({ text: 'SHOW transaction_read_only', rowMode: 'array' }, within);
      if (rows[0]?.[0] !== 'off') throw new ReadOnlyHostError('it is read only');
      return session;
    } catch (error) {
      session.end();
      throw error;
    }
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Asks, and waits so many milliseconds at most. A session that did not answer by then is ended, which cancels nothing. */
  async ask(query: QueryArrayConfig, within: number): Promise<QueryArrayResult<Row>> {
    return this.#within(within, this.#client.query<Row>(query));
  }

  /** Asks for something to be kept. It is kept for good when this resolves: a warning beside the success is a failure. */
  async keep(query: QueryArrayConfig, within: number): Promise<QueryArrayResult<Row>> {
    this.#warned = undefined;
    const result = await this.ask(query, within);
    if (this.#warned !== undefined) throw new WarnedCommitError(this.#warned);
    return result;
  }

  /** Closes the connection, at once where something is still being asked. */
  end(): void {
    this.#ended = true;
    this.#client.end().catch(() => {});
  }

  async #within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.end();
      reject(new DatabaseSilentError(`${this.host} did not answer within ${milliseconds} ms`));
    }, milliseconds);
    // What comes after that has nobody who would listen.
    work.catch(() => {});
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  }
}
