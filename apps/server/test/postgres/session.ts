import { prepareSession, Session } from '../../src/store/postgres/session.ts';

/** A session of its own, outside of any pool. */
export async function openSession(address: string): Promise<Session> {
  const session = new Session({ connectionString: address, connectionTimeoutMillis: 5_000 });
  await session.connect();
  await prepareSession(session, 5_000);
  return session;
}
